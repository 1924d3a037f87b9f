import type { delivery, OutcomeKind, webhook } from '@postern/contracts';

type WebhookReply = (typeof webhook)['_output'];
type DeliveryReply = (typeof delivery)['_output'];

interface WebhookFacts {
  readonly id: string;
  readonly url: string;
  readonly events: readonly OutcomeKind[];
  readonly enabled: boolean;
  readonly disabledReason: string | undefined;
  readonly nextSecretReady: boolean;
  readonly createdAt: Date;
}

interface DeliveryFacts {
  readonly id: string;
  readonly eventId: string | undefined;
  readonly payload: string;
  readonly state: DeliveryReply['state'];
  readonly reason: string | undefined;
  readonly replayOf: string | undefined;
  readonly nextAttemptAt: Date | undefined;
  readonly createdAt: Date;
  readonly attempts: readonly {
    readonly number: number;
    readonly at: Date;
    readonly outcome: 'accepted' | 'refused' | 'retry';
    readonly status: number | undefined;
    readonly latencyMs: number;
    readonly error: string | undefined;
    readonly responseHead: string | undefined;
  }[];
}

/** A webhook as the contracts show one. */
export const webhookReply = (row: WebhookFacts): WebhookReply => ({
  id: row.id,
  url: row.url,
  events: [...row.events],
  enabled: row.enabled,
  disabled_reason: row.disabledReason ?? null,
  next_secret_ready: row.nextSecretReady,
  created_at: row.createdAt.toISOString(),
});

/** A delivery with the log of its attempts as the contracts show one. */
export const deliveryReply = (row: DeliveryFacts): DeliveryReply => ({
  id: row.id,
  event_id: row.eventId ?? null,
  payload: JSON.parse(row.payload) as DeliveryReply['payload'],
  state: row.state,
  reason: row.reason ?? null,
  replay_of: row.replayOf ?? null,
  next_attempt_at: row.state === 'pending' ? (row.nextAttemptAt?.toISOString() ?? null) : null,
  created_at: row.createdAt.toISOString(),
  attempts: row.attempts.map(attempt => ({
    number: attempt.number,
    at: attempt.at.toISOString(),
    outcome: attempt.outcome,
    status: attempt.status ?? null,
    latency_ms: attempt.latencyMs,
    error: attempt.error ?? null,
    response_head: attempt.responseHead ?? null,
  })),
});
