import type pg from 'pg';

const GATHER_MS = 200;
/** Deleted at once; and what is kept at most while the database is away. */
const STEP = 1_000;
const MOST = 100_000;

/** Closes requests whose answers were received, many in one statement: none of them waits for it. */
export class AnswerConfirmations {
  #received: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(private readonly pool: pg.Pool) {}

  add(emailId: string): void {
    if (this.#received.length < MOST) this.#received.push(emailId);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Closes all that is known to be received by now; what fails is tried again with the next. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing;
    this.#flushing = this.#flush();
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    while (this.#received.length > 0) {
      const ids = this.#received.splice(0, STEP);
      try {
        await this.pool.query({
          name: 'close-open-requests',
          text: 'DELETE FROM open_requests WHERE email_id = ANY($1::uuid[])',
          values: [ids],
        });
      } catch {
        // A row that stays is recognised as a retry for eleven minutes, and then purged.
        this.#received.push(...ids);
        return;
      }
    }
  }
}
