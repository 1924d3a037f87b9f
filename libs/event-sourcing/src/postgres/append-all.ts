import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { RecordedEvent } from '../event.js';
import { type Append, type Appended, ConcurrencyConflict } from '../event-store.js';
import { storableJson } from '../unstorable-text.js';

/** What became of one append of a group: its events, or the conflict that kept it out. */
export type AppendResult = Appended | ConcurrencyConflict;

interface Prepared extends Append {
  readonly index: number;
  readonly lines: readonly { readonly id: string; readonly type: string; readonly json: string }[];
  readonly metadataJson: string;
}

interface Row {
  readonly append_index: number;
  readonly head: number;
  readonly admitted: boolean;
  readonly last_txid: string;
  readonly last_pos: string;
}

type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;

/**
 * Appends to many streams in one statement. Each append succeeds or meets a conflict by itself; in a transaction of
 * the caller's, what follows decides for all of them.
 * @throws UnstorableEventError before anything is sent; a database error with nothing appended.
 */
export const appendAll = async (db: Queryable, appends: readonly Append[]): Promise<readonly AppendResult[]> => {
  const results = new Array<AppendResult>(appends.length);
  for (const round of rounds(appends.map(prepare))) await appendRound(db, round, results);
  return results;
};

const prepare = (append: Append, index: number): Prepared => ({
  ...append,
  index,
  lines: append.events.map(({ type, data }) => ({ id: uuidv7(), type, json: storableJson(type, data) })),
  metadataJson: JSON.stringify(append.metadata),
});

/** A statement sees one head per stream, so a second append to the same stream waits for the next statement. */
const rounds = (prepared: readonly Prepared[]): Prepared[][] => {
  const made: { readonly streams: Set<string>; readonly appends: Prepared[] }[] = [];
  const depth = new Map<string, number>();
  for (const append of prepared) {
    const round = depth.get(append.streamId) ?? 0;
    depth.set(append.streamId, round + 1);
    made[round] ??= { streams: new Set(), appends: [] };
    made[round].appends.push(append);
  }
  return made.map(({ appends }) => appends);
};

const versionNumber = ({ expectedVersion }: Append): number | null =>
  expectedVersion === 'any' ? null : expectedVersion === 'none' ? 0 : expectedVersion;

const appendRound = async (db: Queryable, round: readonly Prepared[], results: AppendResult[]): Promise<void> => {
  const occurredAt = new Date();
  const lines = round.flatMap((append, owner) =>
    append.lines.map((line, number) => ({
      ...line,
      owner: owner + 1,
      number: number + 1,
      metadata: append.metadataJson,
    })),
  );
  const { rows } = await db.query<Row>({
    name: 'event-store-append',
    text: 'SELECT * FROM event_store.append($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      round.map(({ streamId }) => streamId),
      round.map(versionNumber),
      lines.map(({ owner }) => owner),
      lines.map(({ number }) => number),
      lines.map(({ id }) => id),
      lines.map(({ type }) => type),
      lines.map(({ json }) => json),
      lines.map(({ metadata }) => metadata),
      lines.map(() => occurredAt),
    ],
  });
  for (const row of rows) {
    const append = round[row.append_index - 1] as Prepared;
    results[append.index] = row.admitted
      ? recorded(append, row, occurredAt)
      : new ConcurrencyConflict(append.streamId, append.expectedVersion, row.head);
  }
};

const recorded = (append: Prepared, { head, last_txid, last_pos }: Row, occurredAt: Date): Appended => {
  const position = { txid: last_txid, pos: last_pos ?? '0' };
  const last = BigInt(position.pos);
  const events = append.events.map(
    ({ type, data }, index): RecordedEvent => ({
      id: (append.lines[index] as Prepared['lines'][number]).id,
      type,
      streamId: append.streamId,
      version: head + index + 1,
      data,
      metadata: append.metadata,
      occurredAt,
      // Numbers of one statement are taken in the order of its lines, so those of one append are consecutive.
      position: { txid: last_txid, pos: String(last - BigInt(append.events.length - 1 - index)) },
    }),
  );
  return { version: head + events.length, position, events };
};
