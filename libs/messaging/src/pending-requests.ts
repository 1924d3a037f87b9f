import { ServiceUnavailable } from './faults.js';

/** A request that waits for its reply. */
export interface PendingRequest {
  readonly subject: string;
  readonly service: string;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  readonly onReplayed: (() => void) | undefined;
  /** By the monotonic clock. */
  readonly expiresAt: number;
  /** Number of the message that carried it; undefined before it is sent. */
  batch: number | undefined;
}

/** The requests of one client that wait for their reply, by their id. */
export class PendingRequests {
  readonly #byId = new Map<string, PendingRequest>();

  add(id: string, pending: PendingRequest): void {
    this.#byId.set(id, pending);
  }

  get size(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  get(id: string): PendingRequest | undefined {
    return this.#byId.get(id);
  }

  /** Removes the request and stops its deadline; the caller settles it. */
  take(id: string): PendingRequest | undefined {
    const pending = this.#byId.get(id);
    if (!pending) return undefined;
    this.#byId.delete(id);
    clearTimeout(pending.timer);
    return pending;
  }

  /** Fails the requests that one message carried. */
  failBatch(number: number, errorFor: (subject: string) => Error): void {
    this.#fail(
      ({ batch }) => batch === number,
      ({ subject }) => errorFor(subject),
    );
  }

  failSubject(forbidden: string, errorFor: (subject: string) => Error): void {
    this.#fail(
      ({ subject }) => subject === forbidden,
      ({ subject }) => errorFor(subject),
    );
  }

  failAll(reason: 'disconnected' | 'closed'): void {
    this.#fail(
      () => true,
      ({ subject, batch }) => new ServiceUnavailable(subject, reason, batch !== undefined),
    );
  }

  #fail(matches: (pending: PendingRequest) => boolean, errorFor: (pending: PendingRequest) => Error): void {
    for (const [id, pending] of [...this.#byId]) {
      if (matches(pending)) this.take(id)?.reject(errorFor(pending));
    }
  }
}
