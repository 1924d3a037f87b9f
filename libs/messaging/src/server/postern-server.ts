import type { EventContract, RequestContract, ServiceName } from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import { isTemporary, type TemporarilyUnavailable } from '../faults.js';
import { DEFAULT_EVENT_RETRIES, type EventRetries } from '../followers/event-batches.js';
import { EventFollower, type EventFollowerOptions, type FollowerStatus } from '../followers/event-follower.js';
import { FeedReader } from '../followers/feed-reader.js';
import type { FollowerStore } from '../followers/follower-store.js';
import type { Envelope } from '../followers/handler-calls.js';
import type { SetAsideEvents } from '../followers/set-aside-events.js';
import { QueuedRequests } from '../jetstream/queued-requests.js';
import type { Log } from '../log.js';
import { RequestClient } from '../request-client.js';
import type { Answer } from './arrived-request.js';
import type { EventsHandlerOf, HandlerOf } from './handlers.js';
import type { KeyedRequests } from './keyed-requests.js';
import type { EventsOfHandler } from './patterns.js';
import { RequestHandlers } from './request-handlers.js';
import { RequestIntake } from './request-intake.js';

export interface PosternServerOptions {
  readonly link: NatsLink;
  /** Name of the queue group and prefix of the consumers; the gateway passes its own name. */
  readonly service: ServiceName | 'api-gateway';
  readonly log: Log;
  /** Where request handlers are registered; its own if absent. */
  readonly handlers?: RequestHandlers;
  /** Maximum number of concurrent request handlers (256). */
  readonly concurrency?: number;
  /** How long `close()` waits for handlers to finish (10 s). */
  readonly drainTimeoutMs?: number;
  /** Receives the events of other services that this process has handled, after the commit. */
  readonly onHandled?: EventFollowerOptions['onHandled'];
  /** Delays before failing event handlers are called again; for tests. */
  readonly eventRetries?: EventRetries;
  /** The database of a service that consumes events: positions, and events that a consumer cannot handle. */
  readonly events?: { readonly positions: FollowerStore; readonly setAside: SetAsideEvents } | undefined;
  /** Recognises errors of a request handler that are temporary, such as an unavailable database. */
  readonly asUnavailable?: (error: unknown) => TemporarilyUnavailable | undefined;
  /** Answers requests with a key; without it they are handled like others. */
  readonly keyed?: KeyedRequests | undefined;
}

type HandleEvents = (batch: readonly Envelope[], transaction?: unknown) => Promise<unknown>;

type EventsHandler = EventsOfHandler & { readonly handle: HandleEvents };

/** Serves requests and follows the events of other services, by contract. `close()` drains; the connection stays open. */
export class PosternServer {
  readonly #requests: RequestHandlers;
  /** Event handlers by consumer. */
  readonly #events = new Map<string, EventsHandler[]>();
  readonly #intake: RequestIntake;
  #consumers: (EventFollower | QueuedRequests)[] = [];
  /** Created for the first consumer. */
  #requestClient: RequestClient | undefined;
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
   * Registers the handler of a request; `owner` names it in error messages.
   * @throws when another handler has the contract.
   */
  handle<C extends RequestContract>(contract: C, handler: HandlerOf<C>, owner = handler.name || 'a function'): void {
    const handle: Answer = async request => handler(request as never);
    this.#requests.add({ owner, handle, contract });
  }

  /** Registers a handler of events; those with the same consumer share its position. */
  handleEvents<const C extends EventContract>(
    events: EventsOfHandler & { readonly contracts: readonly C[] },
    handler: EventsHandlerOf<C>,
  ): void {
    const handle: HandleEvents = async (batch, transaction) => handler(batch as never, transaction as never);
    this.#events.set(events.consumer, [...(this.#events.get(events.consumer) ?? []), { ...events, handle }]);
  }

  /** Starts to receive requests and events. */
  listen(): void {
    for (const { contract, handle } of this.#requests.all()) this.#intake.serve(contract, handle);
    for (const [consumer, handlers] of this.#events) this.#consumers.push(...this.#followersOf(consumer, handlers));
    const queued = this.#queuedRequests();
    if (queued) this.#consumers.push(queued);
    for (const consumer of this.#consumers) consumer.start();
  }

  /** What the consumers of this process have not handled yet. */
  get followers(): readonly FollowerStatus[] {
    return this.#consumers.flatMap(consumer => (consumer instanceof EventFollower ? [consumer.status] : []));
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

  /** One follower for each service whose events the handlers receive. */
  #followersOf(consumer: string, handlers: readonly EventsHandler[]): readonly EventFollower[] {
    const { link, log, service, events, eventRetries, onHandled } = this.options;
    if (!events || service === 'api-gateway') throw new Error(`${service} consumes events, which needs a database`);
    this.#requestClient ??= new RequestClient(link);
    const requests = this.#requestClient;
    const all = [...new Set(handlers.flatMap(({ contracts }) => contracts))];
    const transactional = handlers.filter(({ inTransaction }) => inTransaction);
    const repeatable = handlers.filter(({ inTransaction }) => !inTransaction);
    return [...Map.groupBy(all, contract => contract.service)].map(([source, contracts]) => {
      return new EventFollower({
        link,
        log,
        service,
        consumer,
        source,
        contracts,
        feed: new FeedReader({ service, consumer, source, contracts, requests, handlers: this.#requests }),
        store: events.positions,
        setAside: events.setAside,
        retries: eventRetries ?? DEFAULT_EVENT_RETRIES,
        onHandled,
        handlers: {
          repeatable: batch => callEach(repeatable, batch),
          transactional: (batch, transaction) => callEach(transactional, batch, transaction),
        },
      });
    });
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
    this.#requestClient?.close();
  }
}

/** Gives each handler its part of a batch, one after the other. */
const callEach = async (
  handlers: readonly EventsHandler[],
  batch: readonly Envelope[],
  transaction?: unknown,
): Promise<void> => {
  for (const { handle, contracts } of handlers) {
    const part = batch.filter(({ type }) => contracts.some(contract => contract.type === type));
    if (part.length > 0) await handle(part, transaction);
  }
};
