import { liftSuppression, type ReplyOf, type RequestOf } from '@postern/contracts';
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
    const data = { service_id, address: addressKey(address), at: new Date().toISOString() };
    const stream = suppressionStream(service_id, data.address);
    await this.streams.execute(addressSuppression, stream, { kind: 'remove', data });
    return {};
  }
}
