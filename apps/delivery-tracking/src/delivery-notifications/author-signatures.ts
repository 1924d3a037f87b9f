import { Inject, Injectable } from '@nestjs/common';
import { OutsidePublicDns, PublicDns } from '@postern/outbound';
import { CONFIG } from '@postern/service-host';
import type { DKIMResult } from 'mailauth';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import type { DeliveryTrackingConfig } from '../config.js';

const MAX_SIGNATURES = 10;
/** mailauth needs quadratic time for long headers and long runs of blanks; no mail server signs such mail. */
const MAX_HEADER_BYTES = 64 * 1024;
const LONG_BLANKS = /[ \t\r\n]{200}/;

/**
 * Distinguishes authentic mail from forged mail by the DKIM signatures (RFC 6376) of the domain of its author, or of a domain above.
 */
@Injectable()
export class AuthorSignatures {
  readonly #dns: PublicDns;

  constructor(
    @Inject(CONFIG)
    { dnsServers, privateDomainSuffixes }: Pick<DeliveryTrackingConfig, 'dnsServers' | 'privateDomainSuffixes'>,
  ) {
    this.#dns = new PublicDns({ servers: dnsServers, privateSuffixes: privateDomainSuffixes });
  }

  /** Whether the domain of the author has signed the whole mail. @throws when it cannot be decided now. */
  async isSigned(raw: Uint8Array, from: string): Promise<boolean> {
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
    const header = headerOf(bytes);
    if (header.length > MAX_HEADER_BYTES || LONG_BLANKS.test(header)) return false;
    // Each signature needs a DNS lookup.
    if ((header.match(/^dkim-signature[ \t]*:/gim)?.length ?? 0) > MAX_SIGNATURES) return false;
    const { results } = await dkimVerify(bytes, {
      strict: true,
      resolver: (name, type) => this.#resolve(name, type),
    });
    const domain = from.slice(from.lastIndexOf('@') + 1);
    const aligned = results.filter(
      ({ signingDomain = '' }) =>
        domain === signingDomain.toLowerCase() || domain.endsWith(`.${signingDomain.toLowerCase()}`),
    );
    if (aligned.some(isWhole)) return true;
    if (aligned.some(({ status }) => status.result === 'temperror'))
      throw new Error(`no key of ${domain} could be read`);
    return false;
  }

  async #resolve(name: string, type: string): Promise<string[][]> {
    if (type !== 'TXT') throw new Error(`DKIM keys are TXT records, not ${type}`);
    const texts = await this.#dns.texts(name).catch((error: Error) => {
      // A key outside the public DNS counts as absent, because anybody can send a report that names it.
      if (error instanceof OutsidePublicDns) return [];
      throw error;
    });
    // Absent keys make the signature invalid; any other error is retried.
    if (texts.length === 0) throw Object.assign(new Error(`${name} has no TXT record`), { code: 'ENOTFOUND' });
    return texts.map(text => [text]);
  }
}

/** The header of a mail with line ends of any kind; at most one character more than is read. */
const headerOf = (bytes: Buffer): string => {
  const start = bytes.toString('latin1', 0, MAX_HEADER_BYTES + 1);
  const end = start.search(/\r?\n\r?\n/);
  return end < 0 ? start : start.slice(0, end);
};

/** The signature covers the sender and the whole body: with an l= tag, anybody can append a report. */
const isWhole = ({ status, signingHeaders, canonBodyLengthLimited }: DKIMResult): boolean =>
  status.result === 'pass' &&
  canonBodyLengthLimited === false &&
  (signingHeaders?.keys ?? '')
    .toLowerCase()
    .split(/[\s:]+/)
    .includes('from');
