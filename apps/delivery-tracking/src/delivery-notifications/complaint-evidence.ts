import { BlockList, isIPv4 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { AuthorSignatures } from './author-signatures.js';
import type { ReceivedReport } from './ports.js';

type Settings = Pick<DeliveryTrackingConfig, 'complaintSenders' | 'complaintClients'>;

/**
 * Distinguishes complaints of mailbox providers from those that anybody with a copy of a message could write: a known feedback loop
 * has signed them, or a mail server of the operator delivers them.
 */
@Injectable()
export class ComplaintEvidence {
  readonly #senders: readonly string[];
  readonly #clients = new BlockList();

  constructor(
    @Inject(CONFIG) { complaintSenders, complaintClients }: Settings,
    private readonly signatures: AuthorSignatures,
  ) {
    this.#senders = complaintSenders.map(sender => sender.toLowerCase());
    for (const client of complaintClients) {
      const [address = '', bits] = client.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      this.#clients.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
    }
  }

  /** `from` is the only author of the report. @throws when it cannot be decided now. */
  async isGenuine({ client, raw }: ReceivedReport, from: string | undefined): Promise<boolean> {
    if (client !== '' && this.#clients.check(client, isIPv4(client) ? 'ipv4' : 'ipv6')) return true;
    return from !== undefined && this.#isKnown(from) && this.signatures.isSigned(raw, from);
  }

  /** The address itself is on the list, or its domain or a domain above. */
  #isKnown(from: string): boolean {
    const domain = from.slice(from.lastIndexOf('@') + 1);
    return this.#senders.some(sender =>
      sender.includes('@') ? sender === from : domain === sender || domain.endsWith(`.${sender}`),
    );
  }
}
