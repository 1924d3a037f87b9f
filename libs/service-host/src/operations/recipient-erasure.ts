import type { Operations, ReplyOf } from '@postern/contracts';
import {
  type Erasure,
  ErasureNotes,
  eraseFromPage,
  inTransaction,
  latestPosition,
  PostgresSetAsideEvents,
  type ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { asciiTracesOf, formsOf } from './address-forms.js';
import { BEGIN, type ErasureCursor, readCursor, writeCursor } from './erasure-cursor.js';
import type { PersonalData, PersonalErasure } from './ports.js';
import { idRedactor, type Redaction, redactor } from './redaction.js';

type StepReply = ReplyOf<Operations['eraseRecipientStep']>;

export interface RecipientErasureOptions {
  readonly pool: pg.Pool;
  readonly projections: ProjectionRunner;
  readonly personal: PersonalData;
  /** Starts the rebuild of a read model; resolves once it runs. */
  readonly rebuild: (projection: string) => Promise<void>;
  /** The error of the last rebuild of a read model. */
  readonly rebuildError: (projection: string) => string | undefined;
}

/** The result of a step: the next cursor (undefined at the end of the pass), and the reason to wait. */
interface Progress {
  readonly next: ErasureCursor | undefined;
  readonly waitingFor?: string;
}

/** A step ends after this time, or after the statement that exceeds it. */
const STEP_MS = 3_000;
/** Longer than the timeout of any event handler: a consumer that has not asked for events since handles none. */
const AWAY_MS = 90_000;

/**
 * Erases one recipient from all data of a service, in this order: events and their rows, read models, and old row
 * versions in the files of the tables. At the end no consumer handles an event any more that it read before.
 */
export class RecipientErasure {
  constructor(private readonly options: RecipientErasureOptions) {}

  /** Works for a few seconds from `cursor` on. May be repeated with any cursor. */
  async step(redaction: Redaction, cursor: string | null): Promise<StepReply> {
    const erasure = erasureOf(redaction);
    const until = performance.now() + STEP_MS;
    let at = cursor === null ? await this.#begin(erasure) : readCursor(cursor);
    for (;;) {
      const { next, waitingFor } = await this.#advance(at, erasure);
      if (!next || waitingFor !== undefined || performance.now() >= until)
        return this.#reply(erasure, next, waitingFor ?? this.#leftOver(next, at));
      at = next;
    }
  }

  async #begin(erasure: PersonalErasure): Promise<ErasureCursor> {
    return { ...BEGIN, freed: totalOf(await this.#notes(erasure).counts()) };
  }

  #advance(at: ErasureCursor, erasure: PersonalErasure): Promise<Progress> {
    switch (at.phase) {
      case 'events':
        return this.#events(at, erasure);
      case 'rows':
        return this.#rows(at, erasure);
      case 'read-models':
        return this.#readModels(at, erasure);
      case 'readers':
        return this.#readers(at, erasure);
    }
  }

  async #events(at: ErasureCursor, erasure: PersonalErasure): Promise<Progress> {
    const { pool, personal } = this.options;
    const beyond: ErasureCursor = { ...at, phase: 'rows', position: undefined };
    if (!personal.isInEvents) return { next: beyond };
    const { concerned, next } = await eraseFromPage(pool, this.#fromEvents(erasure), at.position);
    const { unfinished } = await this.#inTransaction(erasure, tx => personal.eraseRowsOf(concerned, erasure, tx));
    const left = { unfinished: at.unfinished + unfinished };
    return { next: next ? { ...at, ...left, position: next } : { ...beyond, ...left } };
  }

  async #rows(at: ErasureCursor, erasure: PersonalErasure): Promise<Progress> {
    if (at.row === undefined) await this.#inTransaction(erasure, tx => eraseSetAside(erasure, tx));
    const { next } = await this.#inTransaction(erasure, tx => this.options.personal.eraseRows(erasure, at.row, tx));
    return { next: next === undefined ? { ...at, phase: 'read-models', row: undefined } : { ...at, row: next } };
  }

  async #readModels(at: ErasureCursor, erasure: PersonalErasure): Promise<Progress> {
    const { projections, rebuild, rebuildError } = this.options;
    const stale = await this.#notes(erasure).staleReadModels();
    if (stale.length > 0) {
      const known = new Map((await projections.status()).map(status => [status.name, status]));
      const failures = stale.flatMap(name => rebuildError(name) ?? []);
      for (const name of stale) if (known.get(name)?.rebuilding === false) await rebuild(name);
      if (failures.length > 0) throw new Error(`a read model could not be rebuilt: ${failures.join('; ')}`);
      return { next: at, waitingFor: `read models are being rebuilt: ${stale.join(', ')}` };
    }
    const total = totalOf(await this.#notes(erasure).counts());
    if (total > at.freed) await this.#notes(erasure).vacuum();
    const { txid, pos } = await latestPosition(this.options.pool);
    const next: ErasureCursor = { ...at, phase: 'readers', freed: total, position: { txid, pos } };
    return { next };
  }

  /** Everything that a consumer read before the events were rewritten precedes this position. */
  async #readers(at: ErasureCursor, erasure: PersonalErasure): Promise<Progress> {
    const reader = at.position && (await this.#notes(erasure).unreadBy(at.position, AWAY_MS));
    if (reader === undefined) return { next: undefined };
    return { next: at, waitingFor: `the consumer ${reader} may be handling an event about the recipient` };
  }

  #fromEvents({ traces, redact, redactId, replacement }: PersonalErasure): Erasure {
    return {
      containing: traces,
      without: ({ data }) => redact(data) as object | undefined,
      withoutInId: redactId,
      noteAs: replacement,
      readModelsOf: types => this.options.projections.projectionsOf(types),
    };
  }

  #inTransaction<Result extends { readonly erased: Readonly<Record<string, number>> }>(
    { replacement }: PersonalErasure,
    erase: (tx: pg.ClientBase) => Promise<Result>,
  ): Promise<Result> {
    return inTransaction(this.options.pool, async tx => {
      const result = await erase(tx);
      await ErasureNotes.count(tx, replacement, result.erased);
      return result;
    });
  }

  #notes({ replacement }: PersonalErasure): ErasureNotes {
    return new ErasureNotes(this.options.pool, replacement);
  }

  #leftOver(next: ErasureCursor | undefined, { unfinished }: ErasureCursor): string | undefined {
    return next || unfinished === 0 ? undefined : this.options.personal.describeUnfinished(unfinished);
  }

  async #reply(
    erasure: PersonalErasure,
    next: ErasureCursor | undefined,
    waitingFor: string | undefined,
  ): Promise<StepReply> {
    const counts = await this.#notes(erasure).counts();
    return {
      erased: Object.entries(counts).map(([kind, rows]) => ({ kind, rows })),
      kept: next ? [] : [...(await this.options.personal.kept(erasure))],
      cursor: next ? writeCursor(next) : null,
      waiting_for: waitingFor ?? null,
      failure: null,
    };
  }
}

const eraseSetAside = async ({ traces, redact, redactId }: PersonalErasure, tx: pg.ClientBase) => {
  const without = (value: unknown): unknown => {
    const envelope = value as { readonly stream_id: string; readonly data: unknown };
    const stream_id = redactId(envelope.stream_id) ?? envelope.stream_id;
    return { ...envelope, stream_id, data: redact(envelope.data) ?? envelope.data };
  };
  return { erased: { set_aside_events: await PostgresSetAsideEvents.erase(tx, traces, without) } };
};

const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);

const erasureOf = (redaction: Redaction): PersonalErasure => ({
  ...redaction,
  forms: formsOf(redaction.address),
  traces: asciiTracesOf(redaction.address),
  redact: redactor(redaction),
  redactId: idRedactor(redaction),
});
