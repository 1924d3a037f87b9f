import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LEASE_LIMITS, Lease } from '@postern/event-sourcing/postgres';
import type { Log } from '@postern/messaging';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

const RETRY_MS = 250;

/**
 * This process among its replicas. It holds a lease while it lives: when it dies, even with its machine, the lease ends,
 * and the other replicas know that its messages are abandoned.
 */
@Injectable()
export class ProcessInstance implements OnApplicationShutdown {
  readonly id = uuidv7();
  readonly #stopping = new AbortController();
  #lease: Lease | undefined;
  #retry: NodeJS.Timeout | undefined;

  private constructor(
    private readonly pool: pg.Pool,
    private readonly log: Log,
  ) {}

  /** Resolves when the lease is held; no message may be admitted before. */
  static async start(pool: pg.Pool, log: Log): Promise<ProcessInstance> {
    const instance = new ProcessInstance(pool, log);
    await instance.#take();
    return instance;
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#retry);
    await this.#lease?.forget();
  }

  async #take(): Promise<void> {
    const lease = await Lease.take(this.pool, this.#name);
    if (!lease) throw new Error('the lease of this process is held already');
    if (this.#stopping.signal.aborted) return lease.forget();
    this.#lease = lease;
    lease.lost.addEventListener('abort', () => this.#takeAgain(lease.lost.reason), { once: true });
  }

  /** Without its lease this process looks dead to the other replicas. */
  #takeAgain(reason: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.log.warn({ err: reason }, 'Lost the lease of this process; taking it again');
    this.#takeSoon();
  }

  #takeSoon(): void {
    // PostgreSQL ends the lease shortly after this process gave it up.
    this.#retry = setTimeout(() => {
      if (!this.#stopping.signal.aborted) this.#take().catch(() => this.#takeSoon());
    }, RETRY_MS);
  }

  get #name(): string {
    return `email-send instance ${this.id}`;
  }
}

/** Live processes renew their leases within this time after PostgreSQL was away from all of them. */
export const RENEWED_WITHIN_S = (LEASE_LIMITS.renewEveryMs + LEASE_LIMITS.attemptMs) / 1_000;
