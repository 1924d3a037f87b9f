import type { EventEmitter } from 'node:events';
import {
  type AnswerCounts,
  type Backend,
  type ClosedReason,
  type InstanceConnections,
  NO_ANSWERS,
} from '@postern/load-balancer-client';
import type { Timeouts } from '../settings.js';
import { BackendTarget } from './backend-target.js';

/** The active backends of one service, and former ones with requests in progress. */
export class Route {
  #active: readonly BackendTarget[] = [];
  readonly #retiring = new Set<BackendTarget>();
  #closed: ClosedReason | null = null;
  #turn = 0;
  #requests = 0;
  #answers: AnswerCounts = NO_ANSWERS;
  readonly #waiting = new Set<() => void>();

  constructor(
    readonly serviceId: string,
    private readonly timeouts: Timeouts,
    private readonly connections: InstanceConnections,
  ) {}

  get closed(): ClosedReason | null {
    return this.#closed;
  }

  get active(): readonly BackendTarget[] {
    return this.#active;
  }

  get retiring(): readonly BackendTarget[] {
    return [...this.#retiring];
  }

  /** Sends every new request to these backends from now on. A backend that remains keeps its connections. */
  switchTo(backends: readonly Backend[], closed: ClosedReason | null): void {
    const known = [...this.#active, ...this.#retiring];
    const next = backends.map(
      backend =>
        known.find(({ id, host, port }) => id === backend.id && host === backend.host && port === backend.port) ??
        new BackendTarget(backend, this.timeouts, this.connections),
    );
    const leaving = this.#active.filter(target => !next.includes(target));
    this.#active = next;
    this.#closed = closed;
    if (closed !== 'asleep') for (const wake of this.#waiting) wake();
    for (const target of next) this.#retiring.delete(target);
    for (const target of leaving) this.#retire(target);
  }

  /** Requests that wait until the service is no longer asleep. */
  get waiting(): number {
    return this.#waiting.size;
  }

  countRequest(): void {
    this.#requests += 1;
  }

  countAnswer(status: number, responseMs: number): void {
    const { count, serverErrors, responseMs: sum } = this.#answers;
    this.#answers = {
      count: count + 1,
      serverErrors: serverErrors + (status >= 500 ? 1 : 0),
      responseMs: sum + responseMs,
    };
  }

  /** The answers since the last call. */
  takeAnswers(): AnswerCounts {
    const taken = this.#answers;
    this.#answers = NO_ANSWERS;
    return taken;
  }

  /** The requests since the last call. */
  takeRequests(): number {
    const taken = this.#requests;
    this.#requests = 0;
    return taken;
  }

  /** Resolves when the service is no longer asleep, or the time is over; with false if the client has closed the connection. */
  async untilAwake(limitMs: number, client: EventEmitter): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const [wake, leave] = [() => resolve(true), () => resolve(false)];
    const timer = setTimeout(wake, limitMs);
    this.#waiting.add(wake);
    client.once('close', leave);
    const isThere = await promise;
    clearTimeout(timer);
    this.#waiting.delete(wake);
    client.off('close', leave);
    return isThere;
  }

  /**
   * The backend with the fewest exchanges in progress among those that accept connections, round robin if several are
   * equal; one of `avoided` only if there is no other and `mayRepeat` is true.
   */
  choose(avoided: ReadonlySet<BackendTarget>, mayRepeat: boolean): BackendTarget | undefined {
    const fresh = this.#active.filter(target => !avoided.has(target));
    const candidates = fresh.length > 0 ? fresh : mayRepeat ? this.#active : [];
    const accepting = candidates.filter(target => !target.isEjected);
    return this.#leastBusy(accepting.length > 0 ? accepting : candidates);
  }

  /**
   * Resolves when the backends with these ids are idle, or after `timeoutMs`, when the remaining exchanges are aborted.
   * @returns the number of exchanges aborted
   */
  async drain(ids: readonly string[], timeoutMs: number): Promise<number> {
    const targets = this.retiring.filter(({ id }) => ids.includes(id));
    const idle = Promise.all(targets.map(target => target.idle())).then(() => true);
    let deadline: NodeJS.Timeout | undefined;
    const late = new Promise<false>(resolve => {
      deadline = setTimeout(() => resolve(false), timeoutMs);
    });
    const inTime = await Promise.race([idle, late]);
    clearTimeout(deadline);
    return inTime ? 0 : targets.reduce((aborted, target) => aborted + target.abortAll(), 0);
  }

  #leastBusy(candidates: readonly BackendTarget[]): BackendTarget | undefined {
    const start = this.#turn++ % Math.max(1, candidates.length);
    let best: BackendTarget | undefined;
    for (let index = 0; index < candidates.length; index += 1) {
      const candidate = candidates[(start + index) % candidates.length]!;
      if (!best || candidate.underWay.size < best.underWay.size) best = candidate;
    }
    return best;
  }

  /** A retired backend that is added again before it was idle stays in use. */
  #retire(target: BackendTarget): void {
    this.#retiring.add(target);
    void target.idle().then(() => {
      if (target.underWay.size > 0 || !this.#retiring.delete(target)) return;
      target.close();
    });
  }
}
