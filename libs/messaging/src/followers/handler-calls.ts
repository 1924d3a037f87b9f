import { type EventContract, eventEnvelope } from '@postern/contracts';
import type { z } from 'zod';
import { runForRequest } from '../context.js';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { startSpan, traceContextOf } from '../tracing.js';
import type { Effect } from './follower-store.js';

export type Envelope = z.output<typeof eventEnvelope>;

/** The handlers of one consumer; each receives its part of a batch. */
export interface EventHandlers {
  /** They may be called again for the same events. */
  repeatable(batch: readonly Envelope[]): Promise<void>;
  /** They write in the transaction of the position. */
  transactional(batch: readonly Envelope[], transaction: unknown): Promise<void>;
}

/** Runs an effect in a transaction. */
export type InTransaction<Result> = (effect: Effect) => Promise<Result>;

export type HandlerResult<Result> = { readonly result: Result } | { readonly error: unknown };

export interface HandlerCallsOptions {
  readonly log: Log;
  /** The name of the consumer. */
  readonly consumer: string;
  readonly contracts: readonly EventContract[];
  readonly handlers: EventHandlers;
}

/** A handler that takes longer has failed, and its batch is retried. */
const HANDLER_LIMIT_MS = 60_000;

/** Calls the handler of one consumer with parsed events, in their context and within a time limit. */
export class HandlerCalls {
  readonly #contracts: ReadonlyMap<string, EventContract>;

  constructor(private readonly options: HandlerCallsOptions) {
    this.#contracts = new Map(options.contracts.map(contract => [contract.type, contract]));
  }

  /** @throws when the data do not match the contract. */
  read(envelope: Envelope): Envelope {
    const contract = this.#contracts.get(envelope.type);
    return contract ? { ...envelope, data: contract.data.parse(envelope.data) } : envelope;
  }

  /** Calls the repeatable handlers, and then the others in a transaction. */
  async call<Result>(events: readonly Envelope[], run: InTransaction<Result>): Promise<HandlerResult<Result>> {
    const { consumer, log, handlers } = this.options;
    const { batch, end } = this.#traced(events);
    const { metadata, id } = batch[0]!;
    const context = {
      correlationId: metadata.correlation_id,
      causationId: id,
      traceparent: metadata.traceparent,
      actor: metadata.actor,
    };
    const startedAt = performance.now();
    try {
      const handle = async () => {
        await handlers.repeatable(batch);
        return run(transaction => handlers.transactional(batch, transaction));
      };
      const result = await runForRequest(context, undefined, () => withinLimit(handle()));
      end();
      return { result };
    } catch (error) {
      end(error);
      instruments().eventFailures.add(1, { consumer });
      log.warn(
        { err: error, consumer, events: events.length, first: id },
        'An event handler failed; it will be retried',
      );
      return { error };
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      instruments().eventDuration.record(seconds, { consumer }, traceContextOf(context.traceparent));
    }
  }

  /** Each event of a batch continues its own trace, as a child of the publishing span. */
  #traced(events: readonly Envelope[]): { batch: readonly Envelope[]; end: (failure?: unknown) => void } {
    const spans = events.map(({ id, type, metadata }) =>
      startSpan(`process ${type}`, metadata.traceparent, {
        kind: 'consumer',
        attributes: {
          'messaging.system': 'nats',
          'messaging.operation.type': 'process',
          'messaging.consumer.group.name': this.options.consumer,
          'messaging.message.id': id,
          'messaging.batch.message_count': events.length,
        },
      }),
    );
    const batch = events.map((envelope, place) => {
      const traceparent = spans[place]?.traceparent;
      return traceparent ? { ...envelope, metadata: { ...envelope.metadata, traceparent } } : envelope;
    });
    return { batch, end: failure => spans.forEach(span => void span?.end(failure)) };
  }
}

const withinLimit = async <Result>(work: Promise<Result>): Promise<Result> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`the handler did not finish within ${HANDLER_LIMIT_MS} ms`)),
    HANDLER_LIMIT_MS,
  );
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};
