import { Resolver } from 'node:dns/promises';
import { BlockList, isIPv4 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { DKIMResult } from 'mailauth';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import type { DeliveryTrackingConfig } from '../config.js';
import { ComplaintEvidence, type ReceivedReport } from './ports.js';

type Settings = Pick<DeliveryTrackingConfig, 'complaintSenders' | 'complaintClients' | 'dnsServers'>;

const MAX_SIGNATURES = 10;
const ABSENT = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/** Complaints count if a known feedback loop has signed them, or a mail server of the operator delivers them. */
@Injectable()
export class DkimComplaintEvidence extends ComplaintEvidence {
  readonly #senders: readonly string[];
  readonly #clients = new BlockList();
  readonly #resolver = new Resolver({ timeout: 2_000, tries: 2 });

  constructor(@Inject(CONFIG) { complaintSenders, complaintClients, dnsServers }: Settings) {
    super();
    this.#senders = complaintSenders.map(sender => sender.toLowerCase());
    for (const client of complaintClients) {
      const [address = '', bits] = client.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      this.#clients.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
    }
    if (dnsServers.length > 0) this.#resolver.setServers([...dnsServers]);
  }

  async isGenuine({ client, raw }: ReceivedReport, from: string | undefined): Promise<boolean> {
    if (client !== '' && this.#clients.check(client, isIPv4(client) ? 'ipv4' : 'ipv6')) return true;
    if (from === undefined || !this.#isKnown(from)) return false;
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
    // Each signature costs a look-up in the DNS.
    if ((bytes.toString('latin1').match(/^dkim-signature[ \t]*:/gim)?.length ?? 0) > MAX_SIGNATURES) return false;
    const { results } = await dkimVerify(bytes, {
      strict: true,
      resolver: (name, type) => this.#lookUp(name, type),
    });
    const domain = domainOf(from);
    const aligned = results.filter(
      ({ signingDomain = '' }) =>
        domain === signingDomain.toLowerCase() || domain.endsWith(`.${signingDomain.toLowerCase()}`),
    );
    if (aligned.some(isWhole)) return true;
    if (aligned.some(({ status }) => status.result === 'temperror'))
      throw new Error(`no key of ${domain} could be read`);
    return false;
  }

  /** The address itself is on the list, or its domain or a domain above. */
  #isKnown(from: string): boolean {
    const domain = domainOf(from);
    return this.#senders.some(sender =>
      sender.includes('@') ? sender === from : domain === sender || domain.endsWith(`.${sender}`),
    );
  }

  async #lookUp(name: string, type: string): Promise<string[][]> {
    if (type !== 'TXT') throw new Error(`DKIM keys are TXT records, not ${type}`);
    try {
      return await this.#resolver.resolveTxt(name);
    } catch (error) {
      // Absent keys make the signature invalid; anything else is tried again.
      if (ABSENT.has((error as NodeJS.ErrnoException).code ?? ''))
        throw Object.assign(error as Error, { code: 'ENOTFOUND' });
      throw error;
    }
  }
}

/** The signature covers the sender and the whole body: with an l= tag, anybody can append a report. */
const isWhole = ({ status, signingHeaders, canonBodyLengthLimited }: DKIMResult): boolean =>
  status.result === 'pass' &&
  canonBodyLengthLimited === false &&
  (signingHeaders?.keys ?? '')
    .toLowerCase()
    .split(/[\s:]+/)
    .includes('from');

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
