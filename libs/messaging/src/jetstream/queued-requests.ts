import type { JsMsg } from '@nats-io/jetstream';
import { QUEUE_CONSUMER, queueNameOf, queueSubjectOf, Refusal, type ServiceName } from '@postern/contracts';
import { Backoff } from '../backoff.js';
import type { NatsLink } from '../connection.js';
import { runInContext } from '../context.js';
import { readRequestFrame } from '../frames.js';
import { reportCallbackError } from '../guard.js';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { MalformedReport } from '../malformed.js';
import type { RequestHandler } from '../server/request-handler.js';
import { startSpan, traceContextOf } from '../tracing.js';
import { DurableReader } from './durable-reader.js';
import { isFromAnotherStream } from './message-origin.js';
import { ensureStream, queueConfig } from './queue-stream.js';

export interface QueuedRequestsOptions {
  readonly link: NatsLink;
  readonly log: Log;
  readonly service: ServiceName;
  readonly handlers: readonly RequestHandler[];
  /** Whether an error is temporary, such as an unavailable database. */
  readonly isTemporary: (error: unknown) => boolean;
}

/** Delays before a failed request is retried; the last delay repeats. */
const RETRY_MS = [1_000, 5_000, 15_000, 60_000] as const;
/** Attempts after which a request that fails with an internal error is dropped. */
const MAX_FAULTS = 10;
const BATCH_SIZE = 256;
const MAX_ACK_PENDING = 1_024;

/** Handles the requests that callers left in the queue of the service; creates the queue. */
export class QueuedRequests {
  readonly #stopping = new AbortController();
  readonly #reader: DurableReader;
  readonly #malformed: MalformedReport;
  readonly #handlers: ReadonlyMap<string, RequestHandler>;
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly options: QueuedRequestsOptions) {
    const { link, log, service, handlers } = options;
    this.#malformed = new MalformedReport(log);
    this.#handlers = new Map(handlers.map(handler => [queueSubjectOf(handler.contract), handler]));
    this.#reader = new DurableReader({
      link,
      log,
      stream: queueNameOf(service),
      durable: QUEUE_CONSUMER,
      batchSize: BATCH_SIZE,
      maxAckPending: MAX_ACK_PENDING,
      stopping: this.#stopping.signal,
      open: jsm => ensureStream(jsm, queueConfig(service)),
      take: message => this.#take(message),
    });
  }

  start(): void {
    this.#reader.start();
  }

  /** Stops receiving and waits for running requests. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#reader.stop();
    await Promise.all(this.#running);
    await this.#reader.finish();
  }

  #take(message: JsMsg): void {
    if (this.#stopping.signal.aborted) {
      message.nak();
      return;
    }
    const work = this.#handle(message)
      .catch((error: unknown) => reportCallbackError(this.options.log, message.subject, error))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #handle(message: JsMsg): Promise<void> {
    const handler = this.#handlers.get(message.subject);
    if (isFromAnotherStream(message)) {
      this.#refuse(message, 'copied from another stream');
      return;
    }
    const frame = readRequestFrame(jsonOf(message));
    if (!handler || 'malformed' in frame) {
      this.#refuse(message, handler ? 'not a frame of a request' : 'no handler for the request');
      return;
    }
    const parsed = handler.contract.request.safeParse(frame.p);
    if (!parsed.success) {
      this.#refuse(message, 'the request does not fit its contract');
      return;
    }
    const { service, name } = handler.contract;
    const span = startSpan(`process ${service}/${name}`, frame.c.traceparent, {
      kind: 'consumer',
      attributes: {
        'messaging.system': 'nats',
        'messaging.operation.type': 'process',
        'messaging.destination.name': queueNameOf(service),
        'messaging.message.id': frame.i,
      },
    });
    const startedAt = performance.now();
    const context = span ? { ...frame.c, traceparent: span.traceparent } : frame.c;
    let failure: unknown;
    await runInContext(context, async () => {
      try {
        await handler.handle(parsed.data);
        message.ack();
      } catch (error) {
        failure = error;
        this.#failed(message, error);
      }
    });
    span?.end(failure);
    const seconds = (performance.now() - startedAt) / 1_000;
    instruments().eventDuration.record(
      seconds,
      { consumer: queueNameOf(service) },
      traceContextOf(context.traceparent),
    );
  }

  #refuse(message: JsMsg, problem: string): void {
    this.#malformed.note(message.subject, problem);
    // Unlike `term`, it removes the message.
    message.ack();
  }

  #failed(message: JsMsg, error: unknown): void {
    const { log, isTemporary } = this.options;
    const { deliveryCount: attempts } = message.info;
    const fields = { err: error, subject: message.subject, attempts };
    const isFinal = Refusal.is(error) || (!isTemporary(error) && attempts >= MAX_FAULTS);
    if (isFinal) {
      log.error(fields, 'A queued request could not be handled and is dropped');
      message.ack();
      return;
    }
    if (isTemporary(error)) log.warn(fields, 'A queued request failed temporarily');
    else log.error(fields, 'A queued request failed unexpectedly; it will be retried');
    message.nak(Backoff.delayAt(attempts - 1, RETRY_MS));
  }
}

const jsonOf = (message: JsMsg): unknown => {
  try {
    return message.json();
  } catch {
    return undefined;
  }
};
