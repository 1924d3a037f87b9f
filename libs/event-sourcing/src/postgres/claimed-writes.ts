import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { HAS_WRITTEN, MARK_CARRIED_OUT } from './command-claims.sql.js';

/** The claim under which the current work writes. */
export interface WriteClaim {
  readonly caller: string;
  /** As it is stored. */
  readonly key: string;
  readonly token: string;
  /** Whether a transaction of this work has set `carried_out`; its commit may have failed since. */
  hasWritten: boolean;
  /** After its end, further transactions of the same work belong to no claim. */
  isEnded: boolean;
}

/** Another process has taken over the command, so this transaction was rolled back. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor() {
    super('another process has taken over the command');
  }
}

const storage = new AsyncLocalStorage<WriteClaim | undefined>();

/** Runs `work` so that each transaction of a `claimedPool` sets `carried_out` of the claim. */
export const runUnderClaim = <Result>(claim: WriteClaim, work: () => Result): Result => storage.run(claim, work);

export const runWithoutClaim = <Result>(work: () => Result): Result => storage.run(undefined, work);

export const currentClaim = (): WriteClaim | undefined => {
  const claim = storage.getStore();
  return claim?.isEnded ? undefined : claim;
};

export const isClaimed = (): boolean => currentClaim() !== undefined;

/** Whether the command of the current work has written, so that only its answer is missing. */
export const hasWrittenUnderClaim = (): boolean => currentClaim()?.hasWritten ?? false;

type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/**
 * Sets `carried_out` in the open transaction, unless it has written nothing.
 * @throws ClaimLost after a rollback.
 */
export const markCarriedOut = async (claim: WriteClaim, query: Query): Promise<void> => {
  const { rows } = await query(HAS_WRITTEN);
  if (!rows[0]?.written) return;
  const { rowCount } = await query(MARK_CARRIED_OUT, [claim.caller, claim.key, claim.token]);
  if (rowCount === 0) {
    await query('ROLLBACK');
    throw new ClaimLost();
  }
  claim.hasWritten = true;
};
