import { getTrackedEmail, type listEmailDeliveries, type ReplyOf } from '@postern/contracts';
import type { CompleteReply } from './complete-reply.js';

/**
 * Refuses with `email_not_found` if the list is empty and the service has no such message: webhook-dispatch stores only
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
