import 'reflect-metadata';
import type { EnvelopeOf, EventConsumer, EventContract, ReplyOf, RequestContract, RequestOf } from '@postern/contracts';
import { markMethod, TAKES_TRANSACTION } from './patterns.js';

/** A handler whose contract replies with `null` may return nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: TypeScript infers void for a method without a return statement
type HandlerResult<C extends RequestContract> = [ReplyOf<C>] extends [null] ? null | void : ReplyOf<C>;

/** A function that handles the requests of a contract. */
export type HandlerOf<C extends RequestContract> = (
  request: RequestOf<C>,
  ...rest: never[]
) => Promise<HandlerResult<C>> | HandlerResult<C>;

/** Marks a class by its `execute` method, or one method of a class. */
interface HandlesDecorator<C extends RequestContract> {
  (target: abstract new (...dependencies: never[]) => { execute: HandlerOf<C> }): void;
  <Handler extends HandlerOf<C>>(
    target: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void;
}

/**
 * Marks the handler of `contract`: a class with `execute(request)`, or a query method. It receives the validated
 * request, may throw a `Refusal`, and runs in the caller's context (`currentContext()`). It is Nest's `@MessagePattern`
 * for the transport of Postern, so guards, pipes, interceptors and exception filters apply.
 */
export const Handles = <C extends RequestContract>(contract: C): HandlesDecorator<C> =>
  ((target: object, method?: string | symbol) => {
    const prototype = method === undefined ? (target as { readonly prototype: object }).prototype : target;
    markMethod(prototype, method ?? 'execute', { kind: 'request', contract });
  }) as HandlesDecorator<C>;

/** Events in the order of their service's log, each at least once. */
export type EventBatch<C extends EventContract> = readonly EnvelopeOf<C>[];

type Takes<C extends EventContract> = (batch: EventBatch<C>, ...rest: never[]) => Promise<void> | void;

type EventsDecorator<Takes> = <Handler extends Takes>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

/** A function that handles events; `transaction` is that of the position, or absent. */
export type EventsHandlerOf<C extends EventContract> = (
  batch: EventBatch<C>,
  transaction: never,
) => Promise<void> | void;

/**
 * The method handles these events in batches, at least once: it is called again for a batch that fails, and after a crash
 * before the position of the consumer has moved. So its effect must have a key of its own. Handlers with the same consumer
 * share its position. A new name starts with the first event of the log. It is Nest's `@EventPattern` for the transport of
 * Postern.
 */
export const HandlesEvents =
  <const C extends EventContract>(
    contracts: readonly C[],
    { consumer }: Pick<EventConsumer, 'consumer'>,
  ): EventsDecorator<Takes<C>> =>
  (target, method) =>
    markMethod(target, method, { kind: 'events', contracts, consumer, inTransaction: false });

/**
 * The method handles these events in batches, exactly once: it writes only in the given `EventTransaction`, in which the
 * position of the consumer moves too. It locks before it writes. After a restore of the log it is called again for the events
 * of a few seconds. The transaction is the context of the message (`@Ctx()`).
 */
export const HandlesEventsInTransaction =
  <const C extends EventContract>(
    contracts: readonly C[],
    { consumer }: Pick<EventConsumer, 'consumer'>,
  ): EventsDecorator<EventsHandlerOf<C>> =>
  (target, method) =>
    markMethod(target, method, { kind: 'events', contracts, consumer, inTransaction: true }, TAKES_TRANSACTION);
