import type pg from 'pg';
import type { Position } from '../event.js';

export interface Checkpoint extends Position {
  readonly generation: number;
  readonly version: number;
}

type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;

const COLUMNS = 'generation, version, txid::text AS txid, pos::text AS pos';

export const liveCheckpoint = async (
  db: Queryable,
  name: string,
  lock: '' | 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED' = '',
): Promise<Checkpoint | undefined> => {
  const { rows } = await db.query<Checkpoint>({
    name: `event-store-live-checkpoint ${lock}`,
    text: `SELECT ${COLUMNS} FROM event_store.projections WHERE name = $1 AND live ${lock}`,
    values: [name],
  });
  return rows[0];
};

/** The checkpoint of a generation that is being built, held until the end of the transaction. */
export const holdNextCheckpoint = async (
  db: Queryable,
  name: string,
  generation: number,
): Promise<Checkpoint | undefined> => {
  const { rows } = await db.query<Checkpoint>(
    `SELECT ${COLUMNS} FROM event_store.projections WHERE name = $1 AND generation = $2 AND NOT live FOR UPDATE`,
    [name, generation],
  );
  return rows[0];
};

/** Registers a projection that the database has not seen yet; its tables are empty and live. */
export const registerProjection = async (db: Queryable, name: string, version: number): Promise<void> => {
  await db.query(
    `INSERT INTO event_store.projections (name, generation, live, version, txid, pos)
     VALUES ($1, 1, true, $2, '0', 0) ON CONFLICT DO NOTHING`,
    [name, version],
  );
};

export const saveCheckpoint = async (
  db: Queryable,
  name: string,
  generation: number,
  { txid, pos }: Position,
): Promise<void> => {
  await db.query({
    name: 'event-store-save-checkpoint',
    text: 'UPDATE event_store.projections SET txid = $3::xid8, pos = $4::bigint WHERE name = $1 AND generation = $2',
    values: [name, generation, txid, pos],
  });
};

/**
 * Moves the live checkpoint over events that mean nothing to its projection, from wherever it stands between the two
 * positions; a checkpoint of a newer release, or one that somebody else has moved further, stays where it is.
 */
export const passOver = async (
  db: Queryable,
  { name, version }: { readonly name: string; readonly version: number },
  from: Position,
  to: Position,
): Promise<void> => {
  await db.query({
    name: 'event-store-pass-over',
    text: `UPDATE event_store.projections SET txid = $5::xid8, pos = $6::bigint
           WHERE name = $1 AND live AND version <= $2 AND (txid, pos) >= ($3::xid8, $4::bigint)
             AND (txid, pos) < ($5::xid8, $6::bigint)`,
    values: [name, version, from.txid, from.pos, to.txid, to.pos],
  });
};

/** Begins a generation beside the live one, from the first event on. */
export const beginGeneration = async (
  db: Queryable,
  name: string,
  generation: number,
  version: number,
): Promise<void> => {
  await db.query('DELETE FROM event_store.projections WHERE name = $1 AND NOT live', [name]);
  await db.query(
    `INSERT INTO event_store.projections (name, generation, live, version, txid, pos) VALUES ($1, $2, false, $3, '0', 0)`,
    [name, generation, version],
  );
};

export const promoteGeneration = async (db: Queryable, name: string, generation: number): Promise<void> => {
  await db.query('DELETE FROM event_store.projections WHERE name = $1 AND live', [name]);
  await db.query('UPDATE event_store.projections SET live = true WHERE name = $1 AND generation = $2', [
    name,
    generation,
  ]);
};
