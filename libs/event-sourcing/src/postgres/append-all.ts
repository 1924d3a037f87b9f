import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { BEGINNING, type RecordedEvent } from '../event.js';
import { type Append, type Appended, ConcurrencyConflict } from '../event-store.js';
import { storableFrame, storableJson } from '../unstorable-text.js';
import { APPEND_EVENTS, LOCK_STREAMS } from './append-all.sql.js';
import type { Queryable } from './queryable.js';

/** The result of one append of a batch: its events, or a conflict. */
export type AppendResult = Appended | ConcurrencyConflict;

/** An append that has been checked and serialised. */
export interface PreparedAppend extends Append {
  readonly ids: readonly string[];
  readonly json: readonly string[];
  readonly metadataJson: string;
}

interface Row {
  readonly append_index: number;
  readonly head: number;
  readonly admitted: boolean;
  readonly txid: string;
  readonly positions: readonly string[];
}

/**
 * Appends to many streams in one statement; each append succeeds or conflicts on its own. Within a transaction (READ
 * COMMITTED), lock the streams with `lockStreams` before writing anything else.
 * Nothing is retried. After SQLSTATE class 40 nothing was written and the transaction may run again. After a lost
 * connection the outcome is unknown: load, decide and append with an expected version.
 * @throws UnstorableEventError before anything is sent; a database error with nothing appended.
 */
export const appendAll = (db: Queryable, appends: readonly Append[]): Promise<readonly AppendResult[]> =>
  appendPrepared(db, appends.map(prepareAppend));

/**
 * Locks streams until the end of the transaction; call it before the first write. All callers lock in the same order, so
 * that they never deadlock.
 */
export const lockStreams = async (
  client: Pick<pg.ClientBase, 'query'>,
  streamIds: readonly string[],
): Promise<void> => {
  await client.query({
    name: 'event-store-lock-streams',
    text: LOCK_STREAMS,
    values: [streamIds],
  });
};

/** @throws UnstorableEventError */
export const appendArguments = (appends: readonly Append[]): unknown[] =>
  argumentsOf(appends.map(prepareAppend), new Date());

const argumentsOf = (appends: readonly PreparedAppend[], occurredAt: Date): unknown[] => [
  roundsOf(appends),
  appends.map(({ streamId }) => streamId),
  appends.map(versionNumber),
  appends.map(({ metadataJson }) => metadataJson),
  occurredAt,
  appends.flatMap(({ events }, owner) => events.map(() => owner + 1)),
  appends.flatMap(({ events }) => events.map((_, number) => number + 1)),
  appends.flatMap(({ ids }) => ids),
  appends.flatMap(({ events }) => events.map(({ type }) => type)),
  appends.flatMap(({ json }) => json),
];

export const prepareAppend = (append: Append): PreparedAppend => ({
  ...append,
  ids: append.events.map(() => uuidv7()),
  json: append.events.map(({ type, data }) => storableJson(type, data)),
  metadataJson: storableFrame(append.streamId, append.events, append.metadata),
});

export const appendPrepared = async (
  db: Queryable,
  appends: readonly PreparedAppend[],
): Promise<readonly AppendResult[]> => {
  if (appends.length === 0) return [];
  const occurredAt = new Date();
  const { rows } = await db.query<Row>({
    name: 'event-store-append',
    text: APPEND_EVENTS,
    values: argumentsOf(appends, occurredAt),
  });
  const results = new Array<AppendResult>(appends.length);
  for (const row of rows) {
    const index = row.append_index - 1;
    results[index] = resultOf(appends[index] as PreparedAppend, row, occurredAt);
  }
  return results;
};

/** For each append, its number among the appends to the same stream. */
const roundsOf = (appends: readonly Append[]): number[] => {
  const counts = new Map<string, number>();
  return appends.map(({ streamId }) => {
    const round = (counts.get(streamId) ?? 0) + 1;
    counts.set(streamId, round);
    return round;
  });
};

const versionNumber = ({ expectedVersion }: Append): number | null =>
  expectedVersion === 'any' ? null : expectedVersion === 'none' ? 0 : expectedVersion;

const resultOf = (append: PreparedAppend, { head, admitted, txid, positions }: Row, occurredAt: Date): AppendResult => {
  const { streamId, metadata } = append;
  if (!admitted) return new ConcurrencyConflict(streamId, append.expectedVersion, head);
  const events = append.events.map(
    ({ type, data }, index): RecordedEvent => ({
      id: append.ids[index] as string,
      type,
      streamId,
      version: head + index + 1,
      data,
      metadata,
      occurredAt,
      position: { txid, pos: positions[index] as string },
    }),
  );
  return { version: head + events.length, position: events.at(-1)?.position ?? BEGINNING, events };
};
