import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, Lease } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { DISPATCHER, PARTITIONS } from './partition-of-webhook.js';
import {
  FORGET_DISPATCHERS,
  LOCK_PARTITIONS,
  READ_PARTITIONS,
  RELEASE_PARTITIONS,
  TAKE_PARTITIONS,
} from './partitions.sql.js';

/** A dispatcher while it holds its lease. After the loss of the lease it is another dispatcher, with another name. */
export interface Dispatcher {
  readonly name: string;
  /** False as soon as another process may have its partitions, also in a process that was paused. */
  readonly isAlive: boolean;
}

interface PartitionsRow {
  readonly owned: readonly number[];
  readonly dispatchers: number;
  readonly unowned: boolean;
}

/**
 * The partitions of workspaces that this process serves alone. Live processes have equal shares:
 *
 *   unowned ── taken ── served ── leaving (no new requests, until the last is recorded) ── unowned
 *                          └────── the process dies: its lease ends ───────────────────────────┘
 */
@Injectable()
export class Partitions {
  readonly #pool: Database['pool'];
  readonly #lostListeners: (() => void)[] = [];
  #dispatcher: (Dispatcher & { readonly lease: Lease }) | undefined;
  /** Owned partitions, with the time since when, by the monotonic clock in milliseconds. */
  #owned = new Map<number, number>();
  #leaving = new Set<number>();

  constructor(@Inject(Database) { pool }: Pick<Database, 'pool'>) {
    this.#pool = pool;
  }

  /** Undefined while this process holds no lease. */
  get dispatcher(): Dispatcher | undefined {
    return this.#dispatcher?.isAlive ? this.#dispatcher : undefined;
  }

  /** The partitions whose deliveries this process may start. */
  get served(): readonly number[] {
    return this.#dispatcher?.isAlive ? [...this.#owned.keys()].filter(partition => !this.#leaving.has(partition)) : [];
  }

  /** Since when this process owns a partition, by `performance.now()`. */
  ownedSince(partition: number): number {
    return this.#owned.get(partition) ?? performance.now();
  }

  isLeaving(partition: number): boolean {
    return this.#leaving.has(partition);
  }

  /** Calls the listener when all partitions are lost at once. */
  onLost(listener: () => void): void {
    this.#lostListeners.push(listener);
  }

  /** Takes partitions without an owner up to an equal share, and leaves those above it. Call it every second. */
  async balance(isIdle: (partition: number) => boolean): Promise<void> {
    this.#dispatcher ??= await this.#start();
    const { name } = this.#dispatcher;
    const { rows } = await this.#pool.query<PartitionsRow>({
      name: 'read-partitions',
      text: READ_PARTITIONS,
      values: [name],
    });
    // Lost during the statement; the next call starts again.
    if (this.#dispatcher?.name !== name || !rows[0]) return;
    const { owned, dispatchers, unowned } = rows[0];
    for (const partition of owned) if (!this.#owned.has(partition)) this.#owned.set(partition, performance.now());
    const share = Math.ceil(PARTITIONS / Math.max(1, dispatchers));
    this.#leaving = new Set(owned.slice(share));
    await this.#release(name, isIdle);
    if (unowned && owned.length < share) await this.#take(name, share - owned.length);
  }

  /** Leaves all partitions: those without requests in progress at once, the others by the next calls. */
  async leave(isIdle: (partition: number) => boolean): Promise<void> {
    if (!this.#dispatcher) return;
    this.#leaving = new Set(this.#owned.keys());
    await this.#release(this.#dispatcher.name, isIdle);
  }

  /** Frees the lease, and with it what is left of the partitions. */
  async end(): Promise<void> {
    const dispatcher = this.#dispatcher;
    this.#dispatcher = undefined;
    await dispatcher?.lease.forget();
  }

  async #start() {
    const name = `${DISPATCHER}${randomUUID()}`;
    const lease = await Lease.take(this.#pool, name);
    if (!lease) throw new Error(`the lease "${name}" is held already`);
    this.#owned.clear();
    lease.lost.addEventListener('abort', () => this.#lose(lease), { once: true });
    return {
      name,
      lease,
      get isAlive() {
        return lease.isCurrent;
      },
    };
  }

  #lose(lease: Lease): void {
    if (this.#dispatcher?.lease !== lease) return;
    this.#dispatcher = undefined;
    this.#owned.clear();
    this.#leaving.clear();
    for (const listener of this.#lostListeners) listener();
    void lease.forget();
  }

  async #take(name: string, count: number): Promise<void> {
    const taken = await inTransaction(this.#pool, async client => {
      await client.query(LOCK_PARTITIONS);
      await client.query(FORGET_DISPATCHERS);
      return (await client.query<{ partition: number }>(TAKE_PARTITIONS, [name, count])).rows;
    });
    if (this.#dispatcher?.name !== name) return;
    for (const { partition } of taken) this.#owned.set(partition, performance.now());
  }

  async #release(name: string, isIdle: (partition: number) => boolean): Promise<void> {
    const idle = [...this.#leaving].filter(isIdle);
    if (idle.length === 0) return;
    await this.#pool.query(RELEASE_PARTITIONS, [name, idle]);
    for (const partition of idle) {
      this.#owned.delete(partition);
      this.#leaving.delete(partition);
    }
  }
}
