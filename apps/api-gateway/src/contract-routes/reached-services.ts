import type { EmailService } from '@postern/contracts';
import type { Caller } from '../infrastructure/http/access/caller.js';
import type { CompleteReply } from './complete-reply.js';

/** Only the email service that a management key reaches. */
export const reachedServices: CompleteReply = async (_services, reply, _request, caller) => {
  const reached = (caller as Partial<Caller>).managementKey?.service_id;
  return reached ? (reply as EmailService[]).filter(({ id }) => id === reached) : reply;
};
