import { addSuppressions, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { addressKey, MailboxError, parseMailbox } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { addressSuppression, type SuppressionEvent, suppressionStream } from '../tracked-emails/address-suppression.js';
import { ListedAddresses } from './listed-addresses.js';

type Reply = ReplyOf<typeof addSuppressions>;

/** Adds one or many addresses to a service's suppression list; refuses `invalid_input` for a malformed one. */
@Handles(addSuppressions)
export class AddSuppressions {
  constructor(
    private readonly streams: Streams,
    private readonly lists: ListedAddresses,
  ) {}

  /** Resolves once the list shows the addresses. */
  async execute({ service_id, address, addresses }: RequestOf<typeof addSuppressions>): Promise<Reply> {
    if (address === undefined && addresses === undefined)
      throw new Refusal('invalid_input', 'address: give an address or a list of addresses');
    if (address !== undefined && addresses !== undefined)
      throw new Refusal('invalid_input', 'addresses: not together with address; put all into the list');
    const { keys, refused } = readAddresses(addresses ?? [address ?? '']);
    if (address !== undefined && refused[0]) throw new Refusal('invalid_input', `address: ${refused[0].reason}`);
    const at = new Date().toISOString();
    const changed = new Set(await this.lists.list(service_id, keys.slice(0, -1), at));
    const last = keys.at(-1);
    // The read model shows the events of a transaction before those of a later one, so waiting for the last is enough.
    if (last !== undefined && (await this.#listAndWait(service_id, last, at)).length > 0) changed.add(last);
    return {
      added: keys.filter(key => changed.has(key)),
      already_listed: keys.filter(key => !changed.has(key)),
      refused,
    };
  }

  #listAndWait(serviceId: string, address: string, at: string): Promise<readonly SuppressionEvent[]> {
    const data = { service_id: serviceId, address, at };
    return this.streams.execute(addressSuppression, suppressionStream(serviceId, address), { kind: 'list', data });
  }
}

/** The normalized addresses, without duplicates and empty lines. */
const readAddresses = (entries: readonly string[]): { keys: readonly string[]; refused: Reply['refused'] } => {
  const keys = new Set<string>();
  const refused: { address: string; reason: string }[] = [];
  for (const entry of entries.map(line => line.trim()).filter(line => line !== '')) {
    try {
      keys.add(addressKey(parseMailbox(entry).address));
    } catch (error) {
      if (!(error instanceof MailboxError)) throw error;
      refused.push({ address: entry.slice(0, 320), reason: error.message });
    }
  }
  return { keys: [...keys], refused };
};
