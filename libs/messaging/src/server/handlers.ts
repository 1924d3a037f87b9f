import { Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import type { EnvelopeOf, EventContract, ReplyOf, RequestContract, RequestOf } from '@postern/contracts';
import { type Observable, throwError } from 'rxjs';
import { mark } from './marks.js';

/** Identifies our handlers, so that another transport of the same application ignores them. */
export const POSTERN_TRANSPORT = Symbol.for('postern.transport');

export interface RequestExtras {
  readonly contract: RequestContract;
}

export interface EventExtras {
  readonly contracts: readonly EventContract[];
  readonly consumer: string;
}

/** Nest would replace every error with "Internal server error"; the server needs the original error. */
@Catch()
class AsThrown implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

const asThrown = UseFilters(new AsThrown());

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

/** The method of a Nest controller handles `contract`. Providers use `Handles`. */
export const HandlesRequest =
  <C extends RequestContract>(contract: C) =>
  <Handler extends HandlerOf<C>>(target: object, key: string | symbol, method: TypedPropertyDescriptor<Handler>) => {
    const extras: RequestExtras = { contract };
    asThrown(target, key, method);
    MessagePattern(contract.subject, POSTERN_TRANSPORT, { ...extras })(target, key, method);
  };

/** Events in the order of their service's log, each at least once. */
export type EventBatch<C extends EventContract> = readonly EnvelopeOf<C>[];

type Takes<C extends EventContract> = (batch: EventBatch<C>, ...rest: never[]) => Promise<void> | void;

/**
 * The method handles these events in batches; they are acknowledged when it resolves. After an error the batch is
 * delivered again, so handlers must ignore repeated events (inbox of event-sourcing). `consumer` names the position
 * in the stream that all replicas share; a new name starts with the first retained event.
 */
export const HandlesEvents =
  <const C extends EventContract>(contracts: readonly C[], { consumer }: { readonly consumer: string }) =>
  <Handler extends Takes<C>>(target: object, key: string | symbol, method: TypedPropertyDescriptor<Handler>) => {
    const extras: EventExtras = { contracts, consumer };
    asThrown(target, key, method);
    const subscribes = EventPattern(`consumer:${consumer}`, POSTERN_TRANSPORT, { ...extras }) as MethodDecorator;
    subscribes(target, key, method);
    mark(target.constructor, { kind: 'events', method: key, contracts, consumer });
  };
