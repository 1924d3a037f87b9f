import type { OutcomeKind } from '@postern/contracts';
import type { Answer, AttemptOutcome } from './endpoint-response.js';
import type { WebhookChanges } from '../webhooks/webhook.js';

/** One signed POST. `nowS` (Unix seconds) and the very bytes of `body` are what is signed. */
export interface SignedCall {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly nowS: number;
  readonly attemptsBefore: number;
  readonly traceparent: string | undefined;
}

/** Calls endpoints and reports what came of it. Never throws: a call that failed is an answer too. */
export abstract class EndpointCaller {
  abstract call(call: SignedCall): Promise<Answer>;
}

/** Judges a URL before it is registered. Throws the refusal `invalid_url`, saying why. */
export abstract class EndpointAddressCheck {
  abstract check(url: string): Promise<void>;
}

export interface NewSecret {
  /** For its owner, once: begins with `whsec_`. */
  readonly secret: string;
}

/** Which webhook of which service. */
export interface WebhookKey {
  readonly service_id: string;
  readonly webhook_id: string;
}

export interface NewWebhook extends WebhookKey {
  readonly url: string;
  readonly events: readonly OutcomeKind[];
}

/**
 * All changes of webhooks. Each is one transaction over the webhook's events, its secret and its deliveries, so there
 * are all or none; the read model shows it afterwards. Secrets are encrypted at rest and never in an event. Refuses
 * `webhook_not_found`, for another service's too.
 */
export abstract class WebhookRepository {
  /** Refuses `too_many_webhooks` past the limit, over all replicas. */
  abstract create(webhook: NewWebhook, limit: number): Promise<NewSecret>;
  /** Holds what is pending for an endpoint that it disables, and forgets the failures of one that it enables. */
  abstract change(key: WebhookKey, changes: WebhookChanges): Promise<void>;
  /** The same for an endpoint that keeps failing; nothing happens to one that is disabled or removed already. */
  abstract disable(webhookId: string, reason: string): Promise<void>;
  /** Makes the next secret; the current one keeps signing. */
  abstract rotateSecret(key: WebhookKey): Promise<NewSecret>;
  /** Refuses `no_next_secret`. */
  abstract switchSecret(key: WebhookKey): Promise<void>;
  abstract remove(key: WebhookKey): Promise<void>;
}

export interface WebhookRow {
  readonly id: string;
  readonly serviceId: string;
  readonly url: string;
  readonly events: readonly OutcomeKind[];
  readonly enabled: boolean;
  readonly disabledReason: string | undefined;
  readonly nextSecretReady: boolean;
  readonly createdAt: Date;
}

/** The read model of webhooks; never behind a command that has been answered. */
export abstract class WebhookDirectory {
  abstract ofService(serviceId: string): Promise<readonly WebhookRow[]>;
  abstract find(serviceId: string, webhookId: string): Promise<WebhookRow | undefined>;
}

export type DeliveryState = 'pending' | 'accepted' | 'refused' | 'dropped' | 'held';

export interface AttemptRow {
  readonly number: number;
  readonly at: Date;
  readonly outcome: AttemptOutcome;
  readonly status: number | undefined;
  readonly latencyMs: number;
  readonly error: string | undefined;
  readonly responseHead: string | undefined;
}

export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string | undefined;
  readonly payload: string;
  readonly state: DeliveryState;
  readonly reason: string | undefined;
  readonly replayOf: string | undefined;
  readonly nextAttemptAt: Date | undefined;
  readonly createdAt: Date;
  readonly attempts: readonly AttemptRow[];
}

/** What a replica may try now. `fence` proves that the claim is still its own when it reports back. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly fence: string;
  readonly url: string;
  readonly secret: string;
  readonly payload: string;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** What the delivery goes on with: its event's trace, or that of whoever asked for a replay. */
  readonly traceparent: string | undefined;
}

export interface AttemptReport {
  readonly delivery: ClaimedDelivery;
  readonly startedAt: Date;
  readonly answer: Answer;
  readonly outcome: AttemptOutcome;
  /** Until the next attempt; undefined when there is none. */
  readonly retryInMs: number | undefined;
}

/** An outcome on its way to the endpoints of its service. */
export interface QueuedEvent {
  readonly id: string;
  readonly serviceId: string;
  readonly kind: OutcomeKind;
  readonly payload: string;
  readonly traceparent: string | undefined;
}

/** The queue of deliveries, in the same database as their attempts. */
export abstract class DeliveryQueue {
  /** Queues each event once for every endpoint that wants its kind, however often it comes. */
  abstract take(events: readonly QueuedEvent[]): Promise<void>;
  /** Claims due deliveries: of each endpoint as many as it has free places, and `otherwise` of one that is not named. */
  abstract claim(free: ReadonlyMap<string, number>, otherwise: number): Promise<readonly ClaimedDelivery[]>;
  /** Claims one delivery whatever else is due, for an attempt that somebody waits for. */
  abstract claimOne(deliveryId: string): Promise<ClaimedDelivery | undefined>;
  /** Records the attempt and what follows, in one transaction. A report whose claim has been lost changes nothing. */
  abstract report(report: AttemptReport): Promise<void>;
  /** Adds one delivery outside the stream of events (a test). */
  abstract add(webhookId: string, payload: string): Promise<string>;
  /** A new delivery of the same payload with the full schedule. */
  abstract replay(webhookId: string, deliveryId: string): Promise<string | undefined>;
  /** Replays what an endpoint has missed since a time: refused, dropped or held. @returns how many. */
  abstract replaySince(webhookId: string, since: Date): Promise<number>;
  abstract find(webhookId: string, deliveryId: string): Promise<DeliveryRow | undefined>;
  abstract list(
    webhookId: string,
    page: { readonly limit: number; readonly offset: number; readonly state?: DeliveryState | undefined },
  ): Promise<{ readonly items: readonly DeliveryRow[]; readonly total: number }>;
  /** Endpoints that have had nothing but failures over so many days. */
  abstract failingFor(days: number): Promise<readonly { readonly webhookId: string; readonly since: Date }[]>;
  /** Holds what was queued for an endpoint just before the read model showed that it is disabled. @returns how many. */
  abstract holdForDisabled(): Promise<number>;
  abstract purgeFinishedBefore(time: Date): Promise<number>;
  /** Told whenever there may be something new to claim. */
  abstract onWork(listener: () => void): void;
}

/** How long finished deliveries are kept. */
export abstract class Retention {
  abstract readonly days: number;
}
