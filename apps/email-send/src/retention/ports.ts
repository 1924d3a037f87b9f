/** Requests whose answers were not confirmed as received. */
export abstract class OpenRequests {
  /** Deletes requests too old to recognise a retry, and unresolved messages too old for evidence. */
  abstract purge(now: Date): Promise<void>;
}

/** Bodies that the release before sealed bodies stored in plain text. */
export abstract class PlainBodies {
  /** Seals all of them, in small batches. */
  abstract sealAll(): Promise<void>;
}

/** Deletes rows whose retention is over. */
export abstract class Retention {
  /** Deletes bodies of final messages accepted before the day, in small steps. */
  abstract purgeBodies(before: Date): Promise<void>;
  /** Deletes expired idempotency keys, and counters of times that no limit uses. */
  abstract purgeExpired(now: Date): Promise<void>;
}
