import type { OutcomeKind } from '@postern/contracts';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import type { EndpointResponse } from '@postern/outbound';
import type { AttemptOutcome } from './endpoint-response.js';

/** A request to an endpoint. The signature covers `timestampS` (Unix seconds) and the exact `body`. */
export interface SignedRequest {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly timestampS: number;
  readonly previousAttempts: number;
  readonly traceparent: string | undefined;
  /** Asked at the last moment, when the connection is ready; if false, nothing is sent. */
  readonly maySend?: (() => boolean) | undefined;
}

/** Sends requests to endpoints. Never throws: a failed request is a response with `error`. */
export abstract class EndpointClient {
  abstract send(request: SignedRequest): Promise<EndpointResponse>;
}

/** A pending delivery, with the settings of its endpoint. */
export interface PendingDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** The email service of the endpoint. */
  readonly serviceId: string;
  /** Its workspace; the email service itself if the webhook was created by a release that did not store it. */
  readonly workspaceId: string;
  readonly url: string;
  readonly secret: string;
  /** Requests per second that the endpoint permits; undefined without a limit. */
  readonly rateLimit: number | undefined;
  /** Whether the endpoint gets one delivery after the other. */
  readonly ordered: boolean;
  readonly payload: string;
  /** Attempts before this one. */
  readonly attempts: number;
  /** The trace of the event, or of the request for a replay or test. */
  readonly traceparent: string | undefined;
  /** By the monotonic clock of this process, in milliseconds. */
  readonly readAtMs: number;
}

/** A delivery to attempt now. */
export interface DueDelivery extends PendingDelivery {
  readonly partition: number;
}

/** Which due deliveries to read. */
export interface DueRequest {
  /** Must own the partitions; otherwise nothing is read. */
  readonly dispatcher: string;
  readonly partitions: readonly number[];
  /** Up to so many for these endpoints, and up to `defaultLimit` for each other one. */
  readonly limits: ReadonlyMap<string, number>;
  readonly defaultLimit: number;
  /** Ids of deliveries that the dispatcher has read and not recorded. */
  readonly inProgress: readonly string[];
}

export interface AttemptResult {
  readonly delivery: Pick<PendingDelivery, 'id' | 'attempts'>;
  readonly startedAt: Date;
  readonly response: EndpointResponse;
  readonly outcome: AttemptOutcome;
  /** Until the next attempt; undefined if there is none. */
  readonly retryInMs: number | undefined;
}

/** An event to deliver to the endpoints of its service. */
export interface QueuedEvent {
  readonly id: string;
  readonly serviceId: string;
  readonly emailId: string;
  readonly kind: OutcomeKind;
  readonly payload: string;
  readonly traceparent: string | undefined;
}

/** States of deliveries that the endpoint has not accepted and will not get again by itself. */
export const MISSED = ['refused', 'dropped', 'held'] as const;
export type MissedState = (typeof MISSED)[number];

/** The queue of deliveries, in the same database as their attempts. */
export abstract class DeliveryQueue {
  /** Queues each event once for every endpoint subscribed to its kind, in the transaction of its position. */
  abstract enqueue(events: readonly QueuedEvent[], transaction: EventTransaction): Promise<void>;
  /** Queues a test delivery that the caller attempts; undefined if the webhook has been removed. */
  abstract enqueueTest(webhookId: string, payload: string): Promise<PendingDelivery | undefined>;
  /** Reads due deliveries of the endpoints that a dispatcher serves alone. */
  abstract due(request: DueRequest): Promise<readonly DueDelivery[]>;
  /**
   * Reads a delivery again, for an attempt that had to wait. Undefined if it may not be attempted: its endpoint was disabled or
   * removed, or another attempt has been recorded.
   */
  abstract readAgain(delivery: PendingDelivery): Promise<PendingDelivery | undefined>;
  /**
   * Records an attempt and its consequences in one transaction. A failure counts only if no other attempt has been recorded since
   * the delivery was read.
   */
  abstract record(result: AttemptResult): Promise<void>;
  /** Queues a new delivery of the same payload with the full retry schedule; returns its id if the original exists. */
  abstract replay(webhookId: string, deliveryId: string): Promise<string | undefined>;
  /** Replays the missed deliveries of an endpoint since a time, or those of some states; returns how many. */
  abstract replayMissed(webhookId: string, since: Date, states?: readonly MissedState[]): Promise<number>;
  /** Finds enabled endpoints whose attempts have all failed for so many days. */
  abstract failingFor(days: number): Promise<readonly { readonly webhookId: string; readonly since: Date }[]>;
  /** Holds deliveries queued while the read model still showed their endpoint as enabled; returns how many. */
  abstract holdForDisabled(): Promise<number>;
  /** Deletes deliveries that finished before a time, with their attempts; returns how many. */
  abstract purgeFinishedBefore(time: Date): Promise<number>;
  /** Calls the listener whenever this process may have made deliveries due. */
  abstract onDue(listener: () => void): void;
}
