import { Refusal } from '@postern/contracts';
import type { Streams } from '@postern/event-sourcing';
import { type EmailService, emailService, emailServiceStream } from './email-service.js';

/** The service, if it belongs to the workspace; refuses with `service_not_found` otherwise. */
export async function ownedEmailService(
  streams: Streams,
  { workspace_id, service_id }: { readonly workspace_id: string; readonly service_id: string },
): Promise<EmailService> {
  const service = await streams.stateOf(emailService, emailServiceStream(service_id));
  if (service.workspaceId !== workspace_id) {
    throw new Refusal('service_not_found', 'there is no such email service');
  }
  return service;
}
