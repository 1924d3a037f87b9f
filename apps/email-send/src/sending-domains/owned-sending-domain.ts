import { Refusal } from '@postern/contracts';
import type { Streams } from '@postern/event-sourcing';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { type SendingDomain, sendingDomain, sendingDomainStream } from './sending-domain.js';

/** The domain, if the workspace owns the service and the service the domain. */
export async function ownedSendingDomain(
  streams: Streams,
  request: { readonly workspace_id: string; readonly service_id: string; readonly domain_id: string },
): Promise<SendingDomain> {
  await ownedEmailService(streams, request);
  const domain = await streams.stateOf(sendingDomain, sendingDomainStream(request.domain_id));
  if (domain.id === undefined || domain.serviceId !== request.service_id) {
    throw new Refusal('domain_not_found', 'there is no such sending domain');
  }
  return domain;
}
