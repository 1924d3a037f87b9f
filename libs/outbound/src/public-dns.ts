import { Resolver } from 'node:dns/promises';
import type { Answer, DecodedPacket } from 'dns-packet';
import { exchange, NoAnswerInTime } from './dns-exchange.js';
import { isPublicName } from './public-name.js';

export interface PublicDnsOptions {
  /** `address` or `address:port`; empty: the system's resolvers. */
  readonly servers: readonly string[];
  /** Suffixes outside the public DNS that the operator allows. */
  readonly privateSuffixes: readonly string[];
  /** Per attempt (2,000). */
  readonly timeoutMs?: number;
  /** Attempts per server (2). */
  readonly tries?: number;
}

/** No server answered, for the reason in the message. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}

/** The name, or a name that it is an alias of, is outside the public DNS. What is there, if anything, is not told. */
export class OutsidePublicDns extends Error {
  override readonly name = 'OutsidePublicDns';

  constructor(name: string) {
    super(`${name} leads to a name outside the public DNS`);
  }
}

/**
 * Looks up names that users choose. Their name servers can answer with an alias (CNAME) of any name, which the resolver then
 * looks up too, also in zones of the network that Postern runs in. `node:dns` returns only the records at the end, so this
 * reads the whole answer, and refuses it when one name in it is not public.
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
    const records = await this.#lookUp(name, 'TXT');
    return records.flatMap(record => (record.type === 'TXT' ? [textOf(record.data)] : []));
  }

  /** The names in the CNAME records of the name itself, without what these lead to; none for an absent name. */
  async aliases(name: string): Promise<string[]> {
    const records = await this.#lookUp(name, 'CNAME');
    return records.flatMap(record => (record.type === 'CNAME' && isSame(record.name, name) ? [record.data] : []));
  }

  /** @throws OutsidePublicDns, DnsUnavailable */
  async #lookUp(name: string, type: 'TXT' | 'CNAME'): Promise<readonly Answer[]> {
    if (!isPossible(name)) return [];
    this.#requirePublic(name, name);
    const records = await this.#ask(name, type);
    for (const record of records) {
      this.#requirePublic(record.name, name);
      // The alias that was asked for is a record of the user; its target has not been looked up.
      const isFollowed = type !== 'CNAME' || !isSame(record.name, name);
      if (isFollowed && (record.type === 'CNAME' || record.type === 'DNAME')) this.#requirePublic(record.data, name);
    }
    return records;
  }

  #requirePublic(name: string, asked: string): void {
    if (!isPublicName(name, this.#options.privateSuffixes)) throw new OutsidePublicDns(asked);
  }

  async #ask(name: string, type: 'TXT' | 'CNAME'): Promise<readonly Answer[]> {
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

/** An absent name can have aliases before it, which are in the answer. */
const ANSWERED = new Set(['NOERROR', 'NXDOMAIN']);

const REASONS: Readonly<Record<string, string>> = {
  SERVFAIL: 'the name servers of the domain failed (SERVFAIL)',
  REFUSED: 'the name server refused to answer',
};

const reasonOf = (error: Error): string =>
  error instanceof NoAnswerInTime ? 'no name server answered in time' : 'no name server could be reached';

/** The types of the package lack the field. */
const rcodeOf = (packet: DecodedPacket): string => (packet as DecodedPacket & { readonly rcode: string }).rcode;

const textOf = (data: unknown): string =>
  (Array.isArray(data) ? data : [data]).map(part => (Buffer.isBuffer(part) ? part.toString() : String(part))).join('');

const withoutRootDot = (name: string): string => name.replace(/\.$/, '');

const isSame = (one: string, other: string): boolean =>
  withoutRootDot(one).toLowerCase() === withoutRootDot(other).toLowerCase();

/** RFC 1035 §2.3.4. A name that is longer cannot exist. */
const isPossible = (name: string): boolean => {
  const labels = withoutRootDot(name).split('.');
  return Buffer.byteLength(name) <= 253 && labels.every(label => label !== '' && Buffer.byteLength(label) <= 63);
};
