import { z } from 'zod';
import { requestsOf } from '../request.js';
import { timestamp } from '../shapes.js';

const request = requestsOf('delivery-tracking');

/** The maximum number of events that one request records. */
export const MAX_PROVIDER_EVENTS = 500;

/** What a mail provider reports about one recipient of one message, in the words of RFC 3464. */
export const providerEvent = z.object({
  kind: z.enum(['delivered', 'delayed', 'bounced', 'complained']),
  copy_ids: z.array(z.string().max(200)).max(5).describe('Signed ids from the headers of the message.'),
  message_id: z.string().max(998).optional().describe('Its Message-ID, without angle brackets.'),
  recipient: z.string().max(320).optional(),
  at: timestamp,
  status: z.string().max(20).optional().describe('The enhanced status code (RFC 3463).'),
  response: z.string().max(2_000).optional().describe('The reply of the receiving server.'),
  bounce_type: z
    .enum(['hard', 'soft'])
    .optional()
    .describe('The opinion of the provider, which counts if the reply of the server does not decide.'),
  source: z.string().max(500).optional().describe('Who reports a complaint.'),
});
export type ProviderEvent = z.output<typeof providerEvent>;

/** Records the events of a mail provider whose credential email-send has verified. May be repeated. */
export const recordProviderEvents = request('record-provider-events', {
  request: z.object({ events: z.array(providerEvent).max(MAX_PROVIDER_EVENTS) }),
  reply: z.object({ recorded: z.int().nonnegative(), ignored: z.int().nonnegative() }),
  callers: ['email-send'],
  deadlineMs: 10_000,
});
