import { Refusal } from '@postern/contracts';
import type { Streams } from '@postern/event-sourcing';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { type VerifiedRecipient, verifiedRecipient, verifiedRecipientStream } from './verified-recipient.js';

/** The recipient, if the workspace owns the service and the service the recipient. */
export async function ownedVerifiedRecipient(
  streams: Streams,
  request: { readonly workspace_id: string; readonly service_id: string; readonly recipient_id: string },
): Promise<VerifiedRecipient> {
  await ownedEmailService(streams, request);
  const recipient = await streams.stateOf(verifiedRecipient, verifiedRecipientStream(request.recipient_id));
  if (recipient.status === 'none' || recipient.serviceId !== request.service_id) {
    throw new Refusal('recipient_not_found', 'there is no such verified recipient');
  }
  return recipient;
}
