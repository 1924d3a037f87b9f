import type { LogPosition } from '@postern/contracts';

/** The change of a consumer's position after a page. */
export interface FollowerMove {
  readonly from: LogPosition | null;
  readonly to: LogPosition | null;
  /** The log of the source was restored and did not hold `from`. */
  readonly restarted: boolean;
}

/** The positions of the consumers of a service, in its own database. */
export interface FollowerStore {
  /**
   * Runs `follow` in one replica at a time.
   * @returns false, without calling it, when another replica follows.
   */
  lead(consumer: string, stop: AbortSignal, follow: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
  /** Null for a consumer that has read nothing; undefined for one that is new. */
  load(consumer: string, source: string): Promise<LogPosition | null | undefined>;
  /** @returns false when another process has moved the position meanwhile. */
  move(consumer: string, source: string, move: FollowerMove): Promise<boolean>;
}
