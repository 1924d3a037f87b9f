import { sqlState, wasRolledBack } from './sql-state.js';
import { UnstorableEventError } from './unstorable-text.js';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Writes all items in one transaction and returns one result per item, in order. It may be called again with the
   * same items after it threw, so it must not throw after its commit.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Flushes that run concurrently. */
  readonly flushers?: number;
  readonly maxBatch?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Failures of connections, resources or the server: no item causes them, and the outcome may be unknown. */
const SERVER_FAULTS = /^(08|40003|53|57|58|XX)/;

/** Whether a single item may have caused the failure: the database refused it, or the flush could not build it. */
const isItemFault = (error: unknown): boolean => {
  const state = sqlState(error);
  if (state !== '') return !SERVER_FAULTS.test(state);
  return error instanceof UnstorableEventError || error instanceof TypeError || error instanceof RangeError;
};

const ATTEMPTS = 5;

/**
 * Commits items of concurrent callers in one transaction. A batch that was rolled back is retried, and split until only the
 * failing item fails; after any other failure the outcome is unknown, and nothing is retried.
 */
export class GroupCommit<Item, Result> {
  readonly #queue: Waiting<Item, Result>[] = [];
  readonly #flushers: number;
  readonly #maxBatch: number;
  #active = 0;
  #scheduled = false;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(private readonly options: GroupCommitOptions<Item, Result>) {
    this.#flushers = options.flushers ?? 2;
    this.#maxBatch = options.maxBatch ?? 256;
  }

  /** Resolves when the item's transaction is committed. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when no item is queued or running. */
  async drain(): Promise<void> {
    if (this.#queue.length === 0 && this.#active === 0) return;
    await new Promise<void>(resolve => this.#idleWaiters.push(resolve));
  }

  /** Collects items that are submitted within one turn of the event loop. */
  #schedule(): void {
    if (this.#scheduled || this.#active >= this.#flushers) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#active < this.#flushers && this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#maxBatch);
      this.#active++;
      void this.#flush(batch).finally(() => {
        this.#active--;
        if (this.#queue.length > 0) this.#schedule();
        else if (this.#active === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
      });
      // The second flusher serves later items; it does not divide this batch.
      if (this.#queue.length < this.#maxBatch) break;
    }
  }

  async #flush(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#write(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || !isItemFault(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = batch.length >> 1;
      await this.#flush(batch.slice(0, middle));
      await this.#flush(batch.slice(middle));
    }
  }

  async #write(items: readonly Item[]): Promise<readonly Result[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const results = await this.options.flush(items);
        if (results.length === items.length) return results;
        throw new Error(`the flush of ${items.length} items returned ${results.length} results`);
      } catch (error) {
        if (!wasRolledBack(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }
}
