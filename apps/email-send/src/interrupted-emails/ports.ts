import type { EmailFacts } from '../emails/email.js';

/** Messages in progress, by the process that handles them. */
export abstract class EmailsInProgress {
  /**
   * Calls `close` with the messages of dead processes, in batches, in one replica at a time. Messages of processes that
   * may still be alive are skipped.
   */
  abstract closeAbandoned(close: (emails: readonly EmailFacts[]) => Promise<void>): Promise<void>;
}
