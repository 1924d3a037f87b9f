import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import PostalMime from 'postal-mime';

/** One copy of a message in a mailbox, as the HTTP interface returns it. */
export interface KeptMessage {
  id: string;
  /** The From header, as `Name <address>` or `address`. */
  from: string;
  /** The address of the mailbox. */
  to: string;
  subject: string;
  envelope_from: string;
  received_at: string;
  /** The source decoded as UTF-8; `/messages/{id}/raw` returns the bytes. */
  raw: string;
}

interface Entry {
  id: string;
  to: string;
  envelopeFrom: string;
  receivedAt: string;
  raw: Buffer;
}

/** Stores the newest messages, limited by number and bytes. */
export class Mailboxes {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly capacity: number,
    private readonly maxBytes: number,
  ) {}

  keep(message: { to: string; envelopeFrom: string; raw: Buffer }): void {
    const id = randomUUID();
    this.entries.set(id, { id, ...message, receivedAt: new Date().toISOString() });
    this.bytes += message.raw.length;
    for (const [oldest, { raw }] of this.entries) {
      if (this.entries.size <= this.capacity && this.bytes <= this.maxBytes) break;
      this.entries.delete(oldest);
      this.bytes -= raw.length;
    }
  }

  /** All copies, or those of one mailbox, newest last. */
  async list(to?: string): Promise<KeptMessage[]> {
    const wanted = to && mailboxOf(to);
    const matching = [...this.entries.values()].filter(entry => !wanted || mailboxOf(entry.to) === wanted);
    return Promise.all(matching.map(describe));
  }

  async find(id: string): Promise<KeptMessage | undefined> {
    const entry = this.entries.get(id);
    return entry && describe(entry);
  }

  /** The received bytes. */
  source(id: string): Buffer | undefined {
    return this.entries.get(id)?.raw;
  }

  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }
}

/** Normalizes an address; U-labels and A-labels of an internationalized domain are equal. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return (address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at))).toLowerCase();
}

async function describe(entry: Entry): Promise<KeptMessage> {
  // Parses only the header, so that listing many messages does not decode their attachments.
  const end = entry.raw.indexOf('\r\n\r\n');
  const header = end < 0 ? entry.raw : entry.raw.subarray(0, end + 4);
  const parsed = await PostalMime.parse(header).catch(() => undefined);
  const { name, address } = parsed?.from ?? {};
  return {
    id: entry.id,
    from: name ? `${name} <${address ?? ''}>` : (address ?? ''),
    to: entry.to,
    subject: parsed?.subject ?? '',
    envelope_from: entry.envelopeFrom,
    received_at: entry.receivedAt,
    raw: entry.raw.toString('utf8'),
  };
}
