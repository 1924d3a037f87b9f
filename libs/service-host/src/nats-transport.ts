import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type CustomTransportStrategy, RpcException, Server } from '@nestjs/microservices';
import { Refusal } from '@postern/contracts';
import { currentContext, type HandlerExtras, POSTERN_TRANSPORT, type PosternServer } from '@postern/messaging';
import { isObservable, lastValueFrom, type Observable, throwError } from 'rxjs';

/** A handler with its guards, pipes, interceptors and exception filters. */
type NestHandler = (payload: unknown, context: unknown) => Promise<unknown>;

/**
 * The transport strategy of a Nest microservice: gives Nest's handlers to the server of this process. The context of a
 * message (`switchToRpc().getContext()`, `@Ctx()`) is its `RequestContext`, or the `EventTransaction` of its handler.
 */
export class NatsTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = POSTERN_TRANSPORT;
  /** A failing handler of events is logged and called again. */
  override readonly propagatesEventHandlerErrors = true;

  constructor(private readonly server: PosternServer) {
    super();
  }

  override addHandler(_pattern: unknown, handler: NestHandler, _isEvent?: boolean, extras?: object): void {
    const { pattern, owner } = extras as HandlerExtras;
    if (pattern.kind === 'request') {
      const answer = (request: unknown) => outcomeOf(handler(request, currentContext()));
      this.server.handle(pattern.contract, answer, owner);
      return;
    }
    this.server.handleEvents(pattern, async (batch, transaction?: unknown) => {
      await outcomeOf(handler(batch, transaction ?? currentContext()));
    });
  }

  /** Starts receiving requests and events. */
  listen(callback: (error?: unknown) => void): void {
    this.server.listen();
    callback();
  }

  /** Drains; the connection stays open. */
  close(): Promise<void> {
    return this.server.close();
  }

  on(): never {
    throw new Error('NatsTransport has no events of its own; use NatsLink.status');
  }

  unwrap<T = PosternServer>(): T {
    return this.server as T;
  }
}

/** Nest answers with an Observable if an interceptor or an exception filter took part. */
const outcomeOf = async (handled: Promise<unknown>): Promise<unknown> => {
  const result = await handled;
  return isObservable(result) ? lastValueFrom(result, { defaultValue: null }) : result;
};

/** Gives errors that no other filter catches to the server, which answers with a refusal or a fault and logs it. */
@Catch()
export class UncaughtErrors implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() =>
      isDenial(error) ? new Refusal('forbidden', 'A guard denied the request', {}, 403) : error,
    );
  }
}

/** Whether a guard returned false. */
const isDenial = (error: unknown): boolean =>
  error instanceof RpcException && error.getError() === 'Forbidden resource';
