import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { candidatesOf, type HostsFile, readHosts, readSearchRules, type SearchRules } from './host-files.js';
import type { HostAddress } from './outbound-guard.js';

export interface HostResolverOptions {
  /** `address` or `address:port`; the name servers of the system unless set. */
  readonly servers?: readonly string[];
  /** Longest time of one look-up, all attempts included (5,000). */
  readonly limitMs?: number;
  readonly hostsFile?: string;
  readonly resolvConf?: string;
}

/** Longest wait for the other address family once one is known. */
const OTHER_FAMILY_MS = 300;
/** Per server and attempt. */
const ATTEMPT_MS = 2_000;
/** Bounds of the time that addresses are kept, whatever their record says. */
const KEPT_S = { least: 5, most: 300 } as const;
/** A failure is kept for as long, so that a silent name server is not asked for each connection. */
const FAILURE_KEPT_MS = 5_000;
const MAX_HOSTS = 10_000;
/** Changes of the files and of the name servers of the system are noticed within this time. */
const FILES_KEPT_MS = 5_000;

/** A failed look-up. Its code is one of `node:dns`. */
export class HostNotResolved extends Error {
  override readonly name = 'HostNotResolved';

  constructor(
    hostname: string,
    readonly code: string,
    reason: string,
  ) {
    super(`${hostname}: ${reason}`);
  }
}

interface Known {
  readonly until: number;
  readonly answer: Promise<readonly HostAddress[]>;
}

interface System {
  readonly hosts: HostsFile;
  readonly search: SearchRules;
  readonly resolver: Resolver;
}

/**
 * Resolves the names of hosts without a thread: `dns.lookup` occupies one of a few threads that the whole process
 * shares until the name server answers, so that one silent name server stops every other look-up. Each host has one
 * look-up at a time, and its answer, or its failure, is kept.
 */
export class HostResolver {
  readonly #known = new Map<string, Known>();
  #system: Promise<System> | undefined;
  #systemUntil = 0;

  constructor(private readonly options: HostResolverOptions = {}) {}

  /** All addresses of a name or a literal address. @throws HostNotResolved */
  resolve(hostname: string): Promise<readonly HostAddress[]> {
    const literal = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(literal);
    if (family > 0) return Promise.resolve([{ address: literal, family }]);
    const name = (domainToASCII(hostname) || hostname).toLowerCase();
    const known = this.#known.get(name);
    if (known && known.until > performance.now()) return known.answer;
    return this.#lookUp(name);
  }

  #lookUp(name: string): Promise<readonly HostAddress[]> {
    const found = this.#find(name);
    const answer = found.then(({ addresses }) => addresses);
    // Nobody may be waiting any more when it fails.
    answer.catch(() => undefined);
    const keep = (ms: number) => {
      if (this.#known.get(name)?.answer === answer) this.#known.set(name, { answer, until: performance.now() + ms });
    };
    found.then(
      ({ ttlS }) => keep(Math.min(Math.max(ttlS, KEPT_S.least), KEPT_S.most) * 1_000),
      () => keep(FAILURE_KEPT_MS),
    );
    this.#known.delete(name);
    this.#known.set(name, { answer, until: Infinity });
    if (this.#known.size > MAX_HOSTS) this.#known.delete(this.#known.keys().next().value!);
    return answer;
  }

  async #find(name: string): Promise<{ readonly addresses: readonly HostAddress[]; readonly ttlS: number }> {
    const { hosts, search, resolver } = await this.#ofSystem();
    const listed = hosts.get(name.replace(/\.$/, '')) ?? (isLocalhost(name) ? ['127.0.0.1', '::1'] : undefined);
    if (listed) return { addresses: listed.map(address => ({ address, family: isIP(address) })), ttlS: 0 };
    const { limitMs = 5_000 } = this.options;
    const limit = timeLimit(limitMs, () => new HostNotResolved(name, 'ETIMEOUT', 'no name server answered in time'));
    try {
      let failure: unknown;
      for (const candidate of candidatesOf(name, search)) {
        try {
          return await Promise.race([addressesOf(resolver, candidate), limit.reached]);
        } catch (error) {
          failure ??= error;
          if (!isAbsent(error)) throw error;
        }
      }
      throw failure;
    } catch (error) {
      throw error instanceof HostNotResolved ? error : described(name, error);
    } finally {
      limit.clear();
    }
  }

  #ofSystem(): Promise<System> {
    if (this.#system && performance.now() < this.#systemUntil) return this.#system;
    this.#systemUntil = performance.now() + FILES_KEPT_MS;
    this.#system = this.#readSystem();
    return this.#system;
  }

  async #readSystem(): Promise<System> {
    const { hostsFile = '/etc/hosts', resolvConf = '/etc/resolv.conf', servers } = this.options;
    const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [hosts, search] = await Promise.all([readHosts(hostsFile), readSearchRules(resolvConf)]);
    return { hosts, search, resolver };
  }
}

/** RFC 6761 §6.3: these names never leave the machine. */
const isLocalhost = (name: string): boolean => /(^|\.)localhost\.?$/.test(name);

const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

const isAbsent = (error: unknown): boolean => ABSENT.has((error as { code?: string }).code ?? '');

/** Both families; once one is known, the other one has a short time left. */
const addressesOf = async (
  resolver: Resolver,
  name: string,
): Promise<{ readonly addresses: readonly HostAddress[]; readonly ttlS: number }> => {
  const queries = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })];
  const first = await Promise.any(queries).catch(({ errors }: AggregateError) => {
    // A server that failed says more than one that has no such record.
    throw errors.find(error => !isAbsent(error)) ?? errors[0];
  });
  const late = timeLimit(OTHER_FAMILY_MS, () => new Error('late'));
  const records = await Promise.all(queries.map(query => Promise.race([query, late.reached]).catch(() => [])));
  late.clear();
  const found = records.flat().length > 0 ? records.flat() : first;
  return {
    addresses: found.map(({ address }) => ({ address, family: isIP(address) })),
    ttlS: Math.min(...found.map(({ ttl }) => ttl)),
  };
};

const timeLimit = (ms: number, error: () => Error) => {
  const { promise: reached, reject } = Promise.withResolvers<never>();
  reached.catch(() => undefined);
  const timer = setTimeout(() => reject(error()), ms);
  return { reached, clear: () => clearTimeout(timer) };
};

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host with this name',
  ENODATA: 'the name has no address',
  ETIMEOUT: 'no name server answered in time',
  ESERVFAIL: 'the name servers of the domain failed (SERVFAIL)',
  EREFUSED: 'the name server refused to answer',
};

const described = (name: string, error: unknown): HostNotResolved => {
  const { code = 'EAI_FAIL', message } = error as { code?: string; message: string };
  return new HostNotResolved(name, code, REASONS[code] ?? message);
};
