import { liftSuppression, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { addressKey } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { addressSuppression, suppressionStream } from '../tracked-emails/address-suppression.js';

/** Removes an address from a service's suppression list; refuses `suppression_not_found`. */
@Handles(liftSuppression)
export class RemoveSuppression {
  constructor(private readonly streams: Streams) {}

  /** Resolves once the list no longer shows the address. */
  async execute({ service_id, address }: RequestOf<typeof liftSuppression>): Promise<ReplyOf<typeof liftSuppression>> {
    const lowerCase = address.trim().toLowerCase();
    try {
      await this.#remove(service_id, addressKey(address));
    } catch (error) {
      // Streams written before addresses were normalized are named after the address in lower case.
      if (!Refusal.is(error) || lowerCase === addressKey(address)) throw error;
      await this.#remove(service_id, lowerCase);
    }
    return {};
  }

  async #remove(serviceId: string, address: string): Promise<void> {
    const data = { service_id: serviceId, address, at: new Date().toISOString() };
    await this.streams.execute(addressSuppression, suppressionStream(serviceId, address), { kind: 'remove', data });
  }
}
