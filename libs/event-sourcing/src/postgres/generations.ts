import type pg from 'pg';
import { SELECT_FOREIGN_KEYS, SELECT_INDEXES } from './generations.sql.js';
import { type Projection, quote } from './projection.js';

/** The suffix of the tables into which a new generation is built beside the live ones. */
export const NEXT = '__next';

/** Makes empty copies of a projection's tables, with all their columns, constraints and indexes. */
export const createNextTables = async (client: pg.ClientBase, { tables }: Projection): Promise<void> => {
  for (const table of tables) {
    await standsAlone(client, table);
    await client.query(`DROP TABLE IF EXISTS ${quote(`${table}${NEXT}`)}`);
    await client.query(`CREATE TABLE ${quote(`${table}${NEXT}`)} (LIKE ${quote(table)} INCLUDING ALL)`);
  }
};

/** A foreign key would stay with the table that goes. */
const standsAlone = async (client: pg.ClientBase, table: string): Promise<void> => {
  const { rows } = await client.query<{ key: string }>(SELECT_FOREIGN_KEYS, [quote(table)]);
  if (rows[0])
    throw new Error(`table ${table} of a projection has the foreign key ${rows[0].key}, so it cannot be rebuilt`);
};

interface Index {
  readonly name: string;
  /** What it covers, without its own name and its table's. */
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
 * Puts the new tables in the place of the live ones, under the same names, indexes included. All are locked first, so
 * that a reader of several sees one generation; give the transaction a `lock_timeout`, lest a reader be the victim.
 */
export const swapTables = async (client: pg.ClientBase, { tables }: Projection, attempt: number): Promise<void> => {
  // Readers of several tables lock them in an order of their own. Who comes the other way round meets them halfway,
  // again and again while they are busy, so each attempt comes from the other side.
  const inTurn = attempt % 2 === 0 ? tables : tables.toReversed();
  if (tables.length > 0) await client.query(`LOCK TABLE ${inTurn.map(quote).join(', ')} IN ACCESS EXCLUSIVE MODE`);
  for (const table of tables) {
    const before = await indexesOf(client, table);
    const after = await indexesOf(client, `${table}${NEXT}`);
    await client.query(`DROP TABLE ${quote(table)}`);
    await client.query(`ALTER TABLE ${quote(`${table}${NEXT}`)} RENAME TO ${quote(table)}`);
    for (const { name, shape } of before) {
      const twin = after.findIndex(index => index.shape === shape);
      const [found] = twin < 0 ? [] : after.splice(twin, 1);
      if (found && found.name !== name) await client.query(`ALTER INDEX ${quote(found.name)} RENAME TO ${quote(name)}`);
    }
  }
};
