import { Refusal } from '@postern/contracts';
import type { Streams } from '@postern/event-sourcing';
import { emailService, emailServiceStream } from './email-service.js';
import type { EmailService } from './email-service-state.js';

/** The name of the lock of the creation of email services in a workspace, and of its deletion. */
export const emailServicesLock = (workspaceId: string): string => `email-services-of-${workspaceId}`;

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
