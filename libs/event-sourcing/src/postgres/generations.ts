import type pg from 'pg';
import {
  CLAIM_GENERATIONS,
  SELECT_FOREIGN_KEYS,
  SELECT_INDEXES,
  SELECT_NEXT_GENERATION,
  SHARE_GENERATIONS,
} from './generations.sql.js';
import { type Projection, type ProjectionTransaction, projectionTransaction, quote } from './projection.js';

/** The suffix of the tables of a generation that is being built. */
export const NEXT = '__next';

/**
 * The generations that a transaction writes besides the feed: the live one, and one that is being built. No rebuild begins or ends
 * before the transaction ends. Sends its queries at once, so it can be pipelined.
 */
export const heldGenerations = async (
  client: pg.ClientBase,
  projection: string,
): Promise<readonly ProjectionTransaction[]> => {
  const [, next] = await Promise.all([
    client.query({ name: 'event-store-share-generations', text: SHARE_GENERATIONS, values: [projection] }),
    client.query({ name: 'event-store-next-generation', text: SELECT_NEXT_GENERATION, values: [projection] }),
  ]);
  return (next.rowCount === 0 ? [''] : ['', NEXT]).map(generation => projectionTransaction(client, generation));
};

/** Excludes the transactions that write generations besides the feed, until the end of this one. */
export const claimGenerations = async (client: pg.ClientBase, { name, carryOver }: Projection): Promise<void> => {
  if (carryOver) await client.query(CLAIM_GENERATIONS, [name]);
};

/** Creates empty copies of a projection's tables, with columns, constraints and indexes. */
export const createNextTables = async (client: pg.ClientBase, { tables }: Projection): Promise<void> => {
  for (const table of tables) {
    await refuseForeignKeys(client, table);
    await client.query(`DROP TABLE IF EXISTS ${quote(`${table}${NEXT}`)}`);
    await client.query(`CREATE TABLE ${quote(`${table}${NEXT}`)} (LIKE ${quote(table)} INCLUDING ALL)`);
  }
};

/** A foreign key would keep referring to the table that is dropped. */
const refuseForeignKeys = async (client: pg.ClientBase, table: string): Promise<void> => {
  const { rows } = await client.query<{ key: string }>(SELECT_FOREIGN_KEYS, [quote(table)]);
  if (rows[0])
    throw new Error(`table ${table} of a projection has the foreign key ${rows[0].key}, so it cannot be rebuilt`);
};

interface Index {
  readonly name: string;
  /** The definition without the names of the index and its table. */
  readonly shape: string;
}

const indexesOf = async (client: pg.ClientBase, table: string): Promise<Index[]> => {
  const { rows } = await client.query<{ name: string; definition: string }>(SELECT_INDEXES, [quote(table)]);
  return rows.map(({ name, definition }) => ({
    name,
    shape: `${definition.startsWith('CREATE UNIQUE')} ${definition.slice(definition.indexOf(' USING '))}`,
  }));
};

/**
 * Replaces the live tables with the new ones, under the same names, including indexes. All tables are locked first,
 * so that a query of several tables sees one generation. The transaction needs a `lock_timeout`.
 */
export const swapTables = async (client: pg.ClientBase, { tables }: Projection, attempt: number): Promise<void> => {
  // Readers of several tables lock them in an unknown order. Alternating the lock order avoids a conflict with busy readers
  // at every attempt.
  const lockOrder = attempt % 2 === 0 ? tables : tables.toReversed();
  if (tables.length > 0) await client.query(`LOCK TABLE ${lockOrder.map(quote).join(', ')} IN ACCESS EXCLUSIVE MODE`);
  for (const table of tables) {
    const before = await indexesOf(client, table);
    const after = await indexesOf(client, `${table}${NEXT}`);
    await client.query(`DROP TABLE ${quote(table)}`);
    await client.query(`ALTER TABLE ${quote(`${table}${NEXT}`)} RENAME TO ${quote(table)}`);
    for (const { name, shape } of before) {
      const match = after.findIndex(index => index.shape === shape);
      const [found] = match < 0 ? [] : after.splice(match, 1);
      if (found && found.name !== name) await client.query(`ALTER INDEX ${quote(found.name)} RENAME TO ${quote(name)}`);
    }
  }
};
