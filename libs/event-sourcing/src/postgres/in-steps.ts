import type pg from 'pg';

/** Rows per step, for steps of a few milliseconds: an open write transaction holds back the feed of its database. */
const STEP = 1_000;

/**
 * Repeats a maintenance statement, each time in its own transaction, until it changes fewer rows than its last
 * parameter allows.
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
