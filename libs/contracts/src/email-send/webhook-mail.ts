import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';

const request = requestsOf('email-send', ['webhook-dispatch']);

/** Mails the owners of a workspace about a webhook, each once for each state of an episode. May be repeated. */
export const mailAboutWebhook = request('mail-about-webhook', {
  request: z.object({
    service_id: id,
    webhook_id: id,
    url: z.string().max(4_096),
    state: z.enum(['failing', 'disabled', 'recovered']),
    since: timestamp.describe('When the first attempt of the episode failed.'),
    answer: z.string().max(2_000).nullable().describe('The last answer of the endpoint, or why there was none.'),
  }),
  reply: noContent,
  refusals: { relay_unavailable: 503 },
});
