import { listEmailServices, type WorkspaceQuotas } from '@postern/contracts';
import type { CompleteReply } from './complete-reply.js';

/** Adds the usage of `email_services`, which email-send counts. */
export const completeQuotas: CompleteReply = async (services, reply, { id }, caller) => {
  const quotas = reply as WorkspaceQuotas;
  const found = await services.request(listEmailServices, { workspace_id: id as string }, caller);
  return { ...quotas, email_services: { ...quotas.email_services, used: found.length } };
};
