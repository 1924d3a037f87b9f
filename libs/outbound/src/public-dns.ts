import { Resolver } from 'node:dns/promises';
import type { Answer, DecodedPacket } from 'dns-packet';
import { exchange, NoAnswerInTime } from './dns-exchange.js';
import { isPublicName } from './public-name.js';

export interface PublicDnsOptions {
  /** `address` or `address:port`; empty: the system's resolvers. */
  readonly servers: readonly string[];
  /** Suffixes outside the public DNS that the operator allows. */
  readonly privateSuffixes: readonly string[];
  /** Timeout per attempt (2,000). */
  readonly timeoutMs?: number;
  /** Attempts per server (2). */
  readonly tries?: number;
}

/** Where a name leads. */
export interface PublicHost {
  readonly aliases: readonly string[];
  readonly addresses: readonly string[];
}

type QueryType = 'TXT' | 'CNAME' | 'A' | 'AAAA';

/** No server responded; the message contains the reason. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}

/**
 * The name, or a name that it is an alias of, is outside the public DNS. The error does not reveal whether records
 * exist.
 */
export class OutsidePublicDns extends Error {
  override readonly name = 'OutsidePublicDns';

  constructor(name: string) {
    super(`${name} leads to a name outside the public DNS`);
  }
}

/**
 * Looks up names that users choose. Their name servers can respond with an alias (CNAME) of any name, which the
 * resolver then also looks up, even in zones of the network in which Postern runs. `node:dns` returns only the final
 * records, so this class reads the full response and refuses it if one name in it is not public.
 */
export class PublicDns {
  readonly #servers: readonly string[];
  readonly #options: Required<PublicDnsOptions>;

  constructor(options: PublicDnsOptions) {
    this.#options = { timeoutMs: 2_000, tries: 2, ...options };
    this.#servers = options.servers.length > 0 ? options.servers : new Resolver().getServers();
  }

  /** The TXT records, each as one text (RFC 7208 §3.3, RFC 6376 §3.6.2.2); none for an absent name. */
  async texts(name: string): Promise<string[]> {
    const records = await this.#resolve(name, 'TXT');
    return records.flatMap(record => (record.type === 'TXT' ? [textOf(record.data)] : []));
  }

  /** The targets of the CNAME records of the name itself, without following them; none for an absent name. */
  async aliases(name: string): Promise<string[]> {
    const records = await this.#resolve(name, 'CNAME');
    return records.flatMap(record => (record.type === 'CNAME' && isSame(record.name, name) ? [record.data] : []));
  }

  /** The names that a name is an alias of, in order, and the IP addresses at the end; none for an absent name. */
  async host(name: string): Promise<PublicHost> {
    const found = await Promise.all([this.#resolve(name, 'A'), this.#resolve(name, 'AAAA')]);
    const records = found.flat();
    return {
      aliases: [...new Set(records.flatMap(record => (record.type === 'CNAME' ? [record.data] : [])))],
      addresses: records.flatMap(record => (record.type === 'A' || record.type === 'AAAA' ? [record.data] : [])),
    };
  }

  /** @throws OutsidePublicDns, DnsUnavailable */
  async #resolve(name: string, type: QueryType): Promise<readonly Answer[]> {
    if (!isPossible(name)) return [];
    this.#requirePublic(name, name);
    const records = await this.#query(name, type);
    for (const record of records) {
      this.#requirePublic(record.name, name);
      // The requested alias is a record of the user; its target has not been looked up.
      const isFollowed = type !== 'CNAME' || !isSame(record.name, name);
      if (isFollowed && (record.type === 'CNAME' || record.type === 'DNAME')) this.#requirePublic(record.data, name);
    }
    return records;
  }

  #requirePublic(name: string, requested: string): void {
    if (!isPublicName(name, this.#options.privateSuffixes)) throw new OutsidePublicDns(requested);
  }

  async #query(name: string, type: QueryType): Promise<readonly Answer[]> {
    let reason = 'no name server is configured';
    for (let attempt = 0; attempt < this.#options.tries; attempt += 1) {
      for (const server of this.#servers) {
        const answer = await exchange(server, name, type, this.#options.timeoutMs).catch(reasonOf);
        if (typeof answer !== 'string' && ANSWERED.has(rcodeOf(answer))) return answer.answers ?? [];
        reason = typeof answer === 'string' ? answer : (REASONS[rcodeOf(answer)] ?? rcodeOf(answer));
      }
    }
    throw new DnsUnavailable(reason);
  }
}

/** NXDOMAIN also counts: the response for an absent name can contain the aliases that lead to it. */
const ANSWERED = new Set(['NOERROR', 'NXDOMAIN']);

const REASONS: Readonly<Record<string, string>> = {
  SERVFAIL: 'the name servers of the domain failed (SERVFAIL)',
  REFUSED: 'the name server refused to answer',
};

const reasonOf = (error: Error): string =>
  error instanceof NoAnswerInTime ? 'no name server answered in time' : 'no name server could be reached';

/** The type definitions of the package lack this field. */
const rcodeOf = (packet: DecodedPacket): string => (packet as DecodedPacket & { readonly rcode: string }).rcode;

const textOf = (data: unknown): string =>
  (Array.isArray(data) ? data : [data]).map(part => (Buffer.isBuffer(part) ? part.toString() : String(part))).join('');

const withoutRootDot = (name: string): string => name.replace(/\.$/, '');

const isSame = (one: string, other: string): boolean =>
  withoutRootDot(one).toLowerCase() === withoutRootDot(other).toLowerCase();

/** RFC 1035 §2.3.4: a longer name cannot exist. */
const isPossible = (name: string): boolean => {
  const labels = withoutRootDot(name).split('.');
  return Buffer.byteLength(name) <= 253 && labels.every(label => label !== '' && Buffer.byteLength(label) <= 63);
};
