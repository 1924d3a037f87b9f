import { getTrackedEmail, type listEmailDeliveries, type ReplyOf } from '@postern/contracts';
import type { CompleteReply } from './complete-reply.js';

/**
 * Refuses `email_not_found` for an empty list of a message that the service does not have: webhook-dispatch knows only
 * messages with deliveries.
 */
export const assertEmailExists: CompleteReply = async (services, reply, { service_id, email_id }, caller) => {
  const { total } = reply as ReplyOf<typeof listEmailDeliveries>;
  if (total === 0) {
    const email = { service_id: service_id as string, email_id: email_id as string };
    await services.request(getTrackedEmail, email, caller);
  }
  return reply;
};
