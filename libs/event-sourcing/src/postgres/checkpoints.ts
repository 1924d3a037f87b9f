import type { Position } from '../event.js';
import {
  ADD_NEXT_CHECKPOINT,
  DELETE_LIVE_CHECKPOINT,
  DELETE_NEXT_CHECKPOINT,
  LOCK_FREE_LIVE_CHECKPOINT,
  LOCK_LIVE_CHECKPOINT,
  MAKE_CHECKPOINT_LIVE,
  PASS_OVER,
  REGISTER_PROJECTION,
  SAVE_CHECKPOINT,
  SELECT_LIVE_CHECKPOINT,
  SELECT_NEXT_CHECKPOINT,
} from './checkpoints.sql.js';
import type { Queryable } from './queryable.js';

export interface Checkpoint extends Position {
  readonly generation: number;
  readonly version: number;
}

const LIVE_CHECKPOINT = {
  '': SELECT_LIVE_CHECKPOINT,
  'FOR UPDATE': LOCK_LIVE_CHECKPOINT,
  'FOR UPDATE SKIP LOCKED': LOCK_FREE_LIVE_CHECKPOINT,
} as const;

/** The checkpoint of the generation that answers queries. */
export const liveCheckpoint = async (
  db: Queryable,
  name: string,
  lock: keyof typeof LIVE_CHECKPOINT = '',
): Promise<Checkpoint | undefined> => {
  const { rows } = await db.query<Checkpoint>({
    name: `event-store-live-checkpoint ${lock}`,
    text: LIVE_CHECKPOINT[lock],
    values: [name],
  });
  return rows[0];
};

/** The checkpoint of a generation that is being built, locked until the end of the transaction. */
export const holdNextCheckpoint = async (
  db: Queryable,
  name: string,
  generation: number,
): Promise<Checkpoint | undefined> => {
  const { rows } = await db.query<Checkpoint>(SELECT_NEXT_CHECKPOINT, [name, generation]);
  return rows[0];
};

/** Registers a new projection; its tables are empty and live. */
export const registerProjection = async (db: Queryable, name: string, version: number): Promise<void> => {
  await db.query(REGISTER_PROJECTION, [name, version]);
};

export const saveCheckpoint = async (
  db: Queryable,
  name: string,
  generation: number,
  { txid, pos }: Position,
): Promise<void> => {
  await db.query({
    name: 'event-store-save-checkpoint',
    text: SAVE_CHECKPOINT,
    values: [name, generation, txid, pos],
  });
};

/**
 * Moves the live checkpoint past events of other projections, if it lies between the two positions. A checkpoint of a newer
 * release, or one that another replica has advanced, is kept.
 */
export const passOver = async (
  db: Queryable,
  { name, version }: { readonly name: string; readonly version: number },
  from: Position,
  to: Position,
): Promise<void> => {
  await db.query({
    name: 'event-store-pass-over',
    text: PASS_OVER,
    values: [name, version, from.txid, from.pos, to.txid, to.pos],
  });
};

/** Starts a new generation beside the live one, from the first event. */
export const startGeneration = async (
  db: Queryable,
  name: string,
  generation: number,
  version: number,
): Promise<void> => {
  await db.query(DELETE_NEXT_CHECKPOINT, [name]);
  await db.query(ADD_NEXT_CHECKPOINT, [name, generation, version]);
};

export const promoteGeneration = async (db: Queryable, name: string, generation: number): Promise<void> => {
  await db.query(DELETE_LIVE_CHECKPOINT, [name]);
  await db.query(MAKE_CHECKPOINT_LIVE, [name, generation]);
};
