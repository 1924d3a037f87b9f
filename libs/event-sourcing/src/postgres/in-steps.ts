import type pg from 'pg';

/** Rows of one step: a few milliseconds, for an open write transaction holds back the feed of its database. */
const STEP = 1_000;

/**
 * Repeats a maintenance statement that changes at most as many rows as its last parameter says, each time in a
 * transaction of its own, until one finds fewer.
 * @returns how many rows were changed.
 */
export const inSteps = async (
  pool: Pick<pg.Pool, 'query'>,
  statement: string,
  values: readonly unknown[],
  step: number = STEP,
): Promise<number> => {
  for (let total = 0; ; ) {
    const { rowCount } = await pool.query(statement, [...values, step]);
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < step) return total;
  }
};
