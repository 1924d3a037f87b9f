import { z } from 'zod';
import { timestamp } from '../shapes.js';

/** How the latest deliveries of a webhook went. */
export const webhookHealth = z.object({
  state: z
    .enum(['healthy', 'degraded', 'failing'])
    .describe(
      '`failing`: every attempt since `failing_since` failed. `degraded`: some events of the last 24 hours were not accepted.',
    ),
  attempted_24h: z
    .int()
    .nonnegative()
    .describe('Events of the last 24 hours that were sent; at most 1,000 are counted.'),
  failed_24h: z.int().nonnegative().describe('Those among them that the endpoint has not accepted.'),
  failing_since: timestamp.nullable().describe('The first of the attempts that all failed; null after a success.'),
  last_attempt: z
    .object({
      at: timestamp,
      outcome: z.enum(['accepted', 'refused', 'retry']),
      status: z.int().nullable().describe('HTTP status; null if there was no response.'),
      error: z.string().nullable(),
    })
    .nullable(),
  next_attempt_at: timestamp.nullable().describe('When an event is sent again; null if none waits.'),
});
export type WebhookHealth = z.output<typeof webhookHealth>;
