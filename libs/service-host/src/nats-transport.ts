import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { PosternServer } from '@postern/messaging';

/**
 * The transport strategy of a Nest microservice. Handlers are providers decorated with `Handles` and `HandlesEvents`
 * (handlers.ts), so `addHandler`, through which Nest registers controllers, is not used.
 */
export class NatsTransport extends Server implements CustomTransportStrategy {
  constructor(private readonly server: PosternServer) {
    super();
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
