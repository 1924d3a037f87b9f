import {
  durableName,
  type EventContract,
  type FormerConsumer,
  OPERATIONS,
  type RequestContract,
  type ServiceName,
  streamNameOf,
} from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import { isTemporary, type TemporarilyUnavailable } from '../faults.js';
import { EventConsumer } from '../jetstream/event-consumer.js';
import { DEFAULT_EVENT_RETRIES, type EventRetries } from '../jetstream/event-processor.js';
import { FormerConsumers } from '../jetstream/former-consumers.js';
import type { EventGap } from '../jetstream/gap-reports.js';
import type { Envelope } from '../jetstream/handler-calls.js';
import { QueuedRequests } from '../jetstream/queued-requests.js';
import type { SetAsideEvents } from '../jetstream/set-aside-events.js';
import type { Log } from '../log.js';
import { RequestClient } from '../request-client.js';
import type { Answer } from './arrived-request.js';
import type { KeyedRequests } from './keyed-requests.js';
import { type HandlerMark, handlerMarks } from './marks.js';
import { RequestHandlers } from './request-handlers.js';
import { RequestIntake } from './request-intake.js';

export interface PosternServerOptions {
  readonly link: NatsLink;
  /** Name of the queue group and prefix of the durable consumers; the gateway passes its own name. */
  readonly service: ServiceName | 'api-gateway';
  readonly log: Log;
  /** Where request handlers are registered; its own if absent. */
  readonly handlers?: RequestHandlers;
  /** Maximum number of concurrent request handlers (256). */
  readonly concurrency?: number;
  /** How long `close()` waits for handlers to finish (10 s). */
  readonly drainTimeoutMs?: number;
  /** Maximum number of events per handler call (256). */
  readonly eventBatchSize?: number;
  /** Delays before failing event handlers are called again; for tests. */
  readonly eventRetries?: EventRetries;
  /** Stores events that a consumer cannot handle; without it they stay in the stream. */
  readonly setAside?: SetAsideEvents | undefined;
  /** Recognises errors of a request handler that are temporary, such as an unavailable database. */
  readonly asUnavailable?: (error: unknown) => TemporarilyUnavailable | undefined;
  /** Answers requests with a key; without it they are handled like others. */
  readonly keyed?: KeyedRequests | undefined;
}

interface EventsHandler {
  readonly handle: Answer;
  readonly contracts: readonly EventContract[];
  readonly replaces: readonly FormerConsumer[];
}

/** Short, because the report to an absent service is retried. */
const REPORT_WITHIN_MS = 5_000;

/** Serves requests over core NATS and events over JetStream, by contract. `close()` drains; the connection stays open. */
export class PosternServer {
  readonly #requests: RequestHandlers;
  /** Event handlers by consumer. */
  readonly #events = new Map<string, EventsHandler[]>();
  readonly #intake: RequestIntake;
  #consumers: (EventConsumer | FormerConsumers | QueuedRequests)[] = [];
  /** Created for the first gap. */
  #reports: RequestClient | undefined;
  #closing: Promise<void> | undefined;

  constructor(private readonly options: PosternServerOptions) {
    this.#requests = options.handlers ?? new RequestHandlers();
    this.#intake = new RequestIntake(options.link, {
      service: options.service,
      log: options.log,
      concurrency: options.concurrency ?? 256,
      queueLimit: (options.concurrency ?? 256) * 16,
      asUnavailable: options.asUnavailable,
      keyed: options.keyed,
    });
  }

  /**
   * Registers the methods of `provider` that are marked with `Handles` and `HandlesEvents`.
   * @throws when another handler has one of the contracts of requests.
   */
  addProvider(provider: object): void {
    const type = provider.constructor;
    for (const mark of handlerMarks(type)) {
      const owner = `${type.name}.${String(mark.method)}`;
      const handle = methodOf(provider, mark);
      if (mark.kind === 'request') this.#requests.add({ owner, handle, contract: mark.contract });
      else this.#events.set(mark.consumer, [...(this.#events.get(mark.consumer) ?? []), { ...mark, handle }]);
    }
  }

  /**
   * Registers one handler, without a provider.
   * @throws when another handler has the contract.
   */
  handle(contract: RequestContract, handle: Answer): void {
    this.#requests.add({ owner: handle.name || 'a function', handle, contract });
  }

  /** Starts to receive requests and events. */
  listen(): void {
    for (const { contract, handle } of this.#requests.all()) this.#intake.serve(contract, handle);
    for (const [consumer, handlers] of this.#events) this.#consumers.push(...this.#consumersOf(consumer, handlers));
    const queued = this.#queuedRequests();
    if (queued) this.#consumers.push(queued);
    for (const consumer of this.#consumers) consumer.start();
  }

  /** Leaves the requests to other replicas; events are still received. */
  pause(): Promise<void> {
    return this.#intake.pause();
  }

  resume(): void {
    if (!this.#closing) this.#intake.resume();
  }

  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  /** One consumer for each source stream of the handlers, and the deletion of the consumers that it replaces. */
  #consumersOf(name: string, handlers: readonly EventsHandler[]): readonly (EventConsumer | FormerConsumers)[] {
    const { link, log, service, setAside, eventBatchSize, eventRetries } = this.options;
    const durable = durableName(service, name);
    const all = [...new Set(handlers.flatMap(({ contracts }) => contracts))];
    const replaced = [...new Set(handlers.flatMap(({ replaces }) => replaces))].map(former => ({
      source: former.source,
      durable: durableName(service, former.consumer),
    }));
    const consumers = [...Map.groupBy(all, contract => contract.service)].map(
      ([source, contracts]) =>
        new EventConsumer({
          link,
          log,
          source,
          contracts,
          durable,
          replaces: replaced.filter(former => former.source === source).map(former => former.durable),
          reportGap: gap => this.#reportGap(source, gap),
          retries: eventRetries ?? DEFAULT_EVENT_RETRIES,
          setAside,
          batchSize: eventBatchSize ?? 256,
          handle: batch => callEach(handlers, batch),
        }),
    );
    const [contract] = all;
    if (!contract || replaced.length === 0) return consumers;
    const by = { stream: streamNameOf(contract.service), durable };
    return [...consumers, new FormerConsumers({ link, log, by, replaced })];
  }

  #queuedRequests(): QueuedRequests | undefined {
    const { link, log, service, asUnavailable } = this.options;
    const handlers = [...this.#requests.all()].filter(({ contract }) => contract.queued);
    const isOwn = handlers.some(({ contract }) => contract.service === service);
    if (!isOwn || service === 'api-gateway') return undefined;
    return new QueuedRequests({
      link,
      log,
      service,
      handlers,
      isTemporary: error => isTemporary(error) || asUnavailable?.(error) !== undefined,
    });
  }

  async #reportGap(source: ServiceName, { consumer, streamCreated, first, last }: EventGap): Promise<void> {
    this.#reports ??= new RequestClient(this.options.link);
    const gap = { consumer, stream_created: streamCreated, first_sequence: first, last_sequence: last };
    await this.#reports.request(OPERATIONS[source].reportMissingEvents, gap, { deadlineMs: REPORT_WITHIN_MS });
  }

  async #drain(): Promise<void> {
    const limitMs = this.options.drainTimeoutMs ?? 10_000;
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), limitMs);
    const consumers = this.#consumers;
    this.#consumers = [];
    const drained = Promise.all([this.#intake.drain(), ...consumers.map(consumer => consumer.stop())]);
    if ((await Promise.race([drained, late])) === 'late') {
      this.options.log.warn({ limitMs }, 'Closed before all handlers finished');
    }
    clearTimeout(timer);
    this.#reports?.close();
  }
}

const methodOf = (provider: object, { method }: HandlerMark): Answer => {
  const handler = (provider as Record<string | symbol, (input: unknown) => unknown>)[method]!.bind(provider);
  return async input => handler(input);
};

/** Gives each handler its part of a batch, one after the other. */
const callEach = async (handlers: readonly EventsHandler[], batch: readonly Envelope[]): Promise<void> => {
  for (const { handle, contracts } of handlers) {
    const part = batch.filter(({ type }) => contracts.some(contract => contract.type === type));
    if (part.length > 0) await handle(part);
  }
};
