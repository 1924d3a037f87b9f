import { getEmailService } from '@postern/contracts';
import type { RequestContext } from '@postern/messaging';
import type { ServiceClient } from '../infrastructure/service-client/ports.js';

/** Checks a request with another service before its own service gets it. */
export type CheckRequest = (
  services: ServiceClient,
  request: Readonly<Record<string, unknown>>,
  caller: RequestContext,
) => Promise<void>;

/** Refuses with `service_not_found` unless the email service that a key names belongs to the workspace. */
export const assertOwnEmailService: CheckRequest = async (services, { workspace_id, service_id }, caller) => {
  if (service_id === undefined) return;
  const owned = { workspace_id: workspace_id as string, service_id: service_id as string };
  await services.request(getEmailService, owned, caller);
};
