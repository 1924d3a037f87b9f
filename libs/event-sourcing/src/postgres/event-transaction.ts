import type pg from 'pg';

/** The transaction in which a consumer's position moves, together with the effect of the events that it passes. */
export interface EventTransaction {
  readonly client: pg.PoolClient;
  /** Runs `effect` once the transaction is committed. */
  afterCommit(effect: () => void): void;
}

/** Without a listener a broken connection would end the process; the next query reports it. */
const ignore = (): void => undefined;

/**
 * Commits if `work` resolves to true, and otherwise undoes everything.
 * @returns whether it was committed.
 */
export const inEventTransaction = async (
  pool: pg.Pool,
  work: (transaction: EventTransaction) => Promise<boolean>,
): Promise<boolean> => {
  const client = await pool.connect();
  client.on('error', ignore);
  const effects: (() => void)[] = [];
  let isUsable = false;
  let isCommitted = false;
  try {
    await client.query('BEGIN');
    isCommitted = await work({ client, afterCommit: effect => void effects.push(effect) });
    await client.query(isCommitted ? 'COMMIT' : 'ROLLBACK');
    isUsable = true;
  } finally {
    // Work that has failed may still use the connection, so no other work gets it.
    client.release(!isUsable);
    client.off('error', ignore);
  }
  if (isCommitted) for (const effect of effects) effect();
  return isCommitted;
};
