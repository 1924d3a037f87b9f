import type pg from 'pg';
import { CLOSE_OPEN_REQUESTS } from './emails.sql.js';

const GATHER_MS = 200;
/** Rows deleted per statement. */
const BATCH = 1_000;
/** Confirmations kept while the database is unavailable. */
const CAPACITY = 100_000;

/** Deletes open requests whose answers were received, in batches and in the background. */
export class AnswerConfirmations {
  #received: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(private readonly pool: pg.Pool) {}

  add(emailId: string): void {
    if (this.#received.length < CAPACITY) this.#received.push(emailId);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Deletes everything confirmed so far; failures are retried with the next flush. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing;
    this.#flushing = this.#flush();
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    while (this.#received.length > 0) {
      const ids = this.#received.splice(0, BATCH);
      try {
        await this.pool.query({ name: 'close-open-requests', text: CLOSE_OPEN_REQUESTS, values: [ids] });
      } catch {
        // A row that remains recognises retries for eleven minutes and is purged after that.
        this.#received.push(...ids);
        return;
      }
    }
  }
}
