import type { EnvelopeOf, EventConsumer, EventContract, ReplyOf, RequestContract, RequestOf } from '@postern/contracts';
import { mark } from './marks.js';

/** A handler whose contract replies with `null` may return nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: TypeScript infers void for a method without a return statement
type HandlerResult<C extends RequestContract> = [ReplyOf<C>] extends [null] ? null | void : ReplyOf<C>;

type HandlerOf<C extends RequestContract> = (
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
 * Marks a provider as the handler of `contract`: a class with `execute(request)`, or a query method. It receives the
 * validated request, may throw a `Refusal`, and runs in the caller's context (`currentContext()`).
 */
export const Handles = <C extends RequestContract>(contract: C): HandlesDecorator<C> =>
  ((target: object, method?: string | symbol) => {
    if (method === undefined) mark(target, { kind: 'request', method: 'execute', contract });
    else mark(target.constructor, { kind: 'request', method, contract });
  }) as HandlesDecorator<C>;

/** Events in the order of their service's log, each at least once. */
export type EventBatch<C extends EventContract> = readonly EnvelopeOf<C>[];

type Takes<C extends EventContract> = (batch: EventBatch<C>, ...rest: never[]) => Promise<void> | void;

/**
 * The method handles these events in batches; the position of the consumer moves when it resolves. After an error the batch is
 * handled again, so handlers must ignore repeated events (inbox of event-sourcing). Handlers with the same consumer share its
 * position, so each of them receives its part of a batch again when another handler fails. A new name starts with the first
 * event of the log.
 */
export const HandlesEvents =
  <const C extends EventContract>(contracts: readonly C[], { consumer }: Pick<EventConsumer, 'consumer'>) =>
  <Handler extends Takes<C>>(
    target: object,
    method: string | symbol,
    _descriptor: TypedPropertyDescriptor<Handler>,
  ) => {
    mark(target.constructor, { kind: 'events', method, contracts, consumer });
  };
