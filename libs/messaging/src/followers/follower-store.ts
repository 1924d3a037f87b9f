import type { LogPosition } from '@postern/contracts';

/** The change of a consumer's position after a page. */
export interface FollowerMove {
  readonly from: LogPosition | null;
  readonly to: LogPosition | null;
  /** The log of the source was restored and did not hold `from`. */
  readonly restarted: boolean;
}

/** Writes in the transaction of a position; handlers know the type of the transaction of their database. */
export type Effect = (transaction: unknown) => Promise<void>;

/** The positions of the consumers of a service, in its own database. */
export interface FollowerStore {
  /**
   * Runs `follow` in one replica at a time.
   * @returns false, without calling it, when another replica follows.
   */
  lead(consumer: string, stop: AbortSignal, follow: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
  /** Null for a consumer that has read nothing; undefined for one that is new. */
  load(consumer: string, source: string): Promise<LogPosition | null | undefined>;
  /**
   * Moves the position, in one transaction with the effect of the events that it passes.
   * @returns false, with nothing written, when another process has moved the position meanwhile.
   */
  move(consumer: string, source: string, move: FollowerMove, effect?: Effect): Promise<boolean>;
  /** Runs `effect` in a transaction that is undone. */
  rehearse(effect: Effect): Promise<void>;
}
