import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';

const request = requestsOf('email-send', ['platform-management']);

/** Mails the owners of a workspace about a log drain, each once for each state of an episode. May be repeated. */
export const mailAboutLogDrain = request('mail-about-log-drain', {
  request: z.object({
    workspace_id: id,
    web_service_id: id,
    web_service_name: z.string(),
    log_drain_id: id,
    url: z.string().max(4_096),
    state: z.enum(['failing', 'disabled']),
    since: timestamp.describe('When the first attempt of the episode failed.'),
    error: z.string().max(2_000).nullable().describe('Why the last attempt failed.'),
  }),
  reply: noContent,
  refusals: { relay_unavailable: 503 },
});
