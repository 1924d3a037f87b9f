import { Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import type { EnvelopeOf, EventContract, ReplyOf, RequestContract, RequestOf } from '@postern/contracts';
import { type Observable, throwError } from 'rxjs';

/** Marks our handlers, so that another transport in the same application leaves them alone. */
export const POSTERN_TRANSPORT = Symbol.for('postern.transport');

export interface RequestExtras {
  readonly contract: RequestContract;
}

export interface EventExtras {
  readonly contracts: readonly EventContract[];
  readonly consumer: string;
}

/** Nest would turn every error into "Internal server error"; the server has to see refusals as they were thrown. */
@Catch()
class AsThrown implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

const asThrown = UseFilters(new AsThrown());

type AnswersTo<C extends RequestContract> = (
  request: RequestOf<C>,
  ...rest: never[]
) => Promise<ReplyOf<C>> | ReplyOf<C>;

/**
 * The method answers `contract`. It gets the validated request, may throw a `Refusal`, and runs inside the asker's
 * context (`currentContext()`).
 */
export const HandlesRequest =
  <C extends RequestContract>(contract: C) =>
  <Handler extends AnswersTo<C>>(target: object, key: string | symbol, method: TypedPropertyDescriptor<Handler>) => {
    const extras: RequestExtras = { contract };
    asThrown(target, key, method);
    MessagePattern(contract.subject, POSTERN_TRANSPORT, { ...extras })(target, key, method);
  };

/** Events in the order of their service's log, at least once each. */
export type EventBatch<C extends EventContract> = readonly EnvelopeOf<C>[];

type Takes<C extends EventContract> = (batch: EventBatch<C>, ...rest: never[]) => Promise<void> | void;

/**
 * The method takes these events in batches, and is awaited before they count as taken. Throwing brings the batch back;
 * an event may come twice, so its effect has to notice (event-sourcing's inbox). `consumer` is the name of the place
 * in the stream that all replicas share: renaming it starts again from the first retained event.
 */
export const HandlesEvents =
  <const C extends EventContract>(contracts: readonly C[], { consumer }: { readonly consumer: string }) =>
  <Handler extends Takes<C>>(target: object, key: string | symbol, method: TypedPropertyDescriptor<Handler>) => {
    const extras: EventExtras = { contracts, consumer };
    asThrown(target, key, method);
    const subscribes = EventPattern(`consumer:${consumer}`, POSTERN_TRANSPORT, { ...extras }) as MethodDecorator;
    subscribes(target, key, method);
  };
