import { Injectable } from '@nestjs/common';
import type { RunStatus } from '@postern/contracts';
import type { CreationLimit } from '@postern/event-sourcing';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import type { RunEnd } from '@postern/runtime';
import { Database } from '@postern/service-host';
import pLimit from 'p-limit';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import { type NewRun, Runs, type StoredRun, type UnfinishedRun } from './ports.js';
import {
  BEGIN_RUN,
  CANCEL_RUN,
  COUNT_RUNS,
  DELETE_OLD_RUNS,
  FIND_RUN,
  FINISH_RUN,
  INSERT_RUN,
  LIST_RUNS,
  UNFINISHED_RUNS,
} from './runs.sql.js';

/** Number of ended runs that are kept for each web service. */
const KEPT = 100;

/** Stores runs as plain rows instead of events, because nothing but their own status depends on them. */
@Injectable()
export class PostgresRuns extends Runs {
  readonly #listeners = new Set<() => void>();
  readonly #oneAtATime = pLimit(1);

  constructor(private readonly database: Database) {
    super();
  }

  /** Serialized in this process, because the limit check needs a second connection during the transaction. */
  override create(limit: CreationLimit, run: NewRun): Promise<StoredRun> {
    return this.#oneAtATime(() => this.#create(limit, run));
  }

  override async list(webServiceId: string, { limit, offset }: { readonly limit: number; readonly offset: number }) {
    const { rows: items } = await this.database.pool.query<StoredRun>(LIST_RUNS, [webServiceId, limit, offset]);
    const { rows } = await this.database.pool.query<{ total: number }>(COUNT_RUNS, [webServiceId]);
    return { items, total: rows[0]!.total };
  }

  override async find(webServiceId: string, id: string): Promise<StoredRun | undefined> {
    return (await this.database.pool.query<StoredRun>(FIND_RUN, [webServiceId, id])).rows[0];
  }

  override async cancel(webServiceId: string, id: string): Promise<StoredRun | undefined> {
    const { rows } = await this.database.pool.query<StoredRun>(CANCEL_RUN, [webServiceId, id]);
    this.#notify();
    return rows[0];
  }

  override async unfinished(): Promise<readonly UnfinishedRun[]> {
    return (await this.database.pool.query<UnfinishedRun>(UNFINISHED_RUNS)).rows;
  }

  override async begin(id: string): Promise<boolean> {
    return (await this.database.pool.query(BEGIN_RUN, [id])).rowCount === 1;
  }

  override async finish(id: string, end: RunEnd & { readonly status: RunStatus }): Promise<void> {
    await this.database.pool.query(FINISH_RUN, [id, end.status, end.exitCode, end.reason]);
  }

  override onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #create(limit: CreationLimit, { id, webServiceId, command, release }: NewRun): Promise<StoredRun> {
    const stream = webServiceStream(webServiceId);
    const created = await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [limit.lock, stream]);
      if (await isDeleted(client, stream)) throw webServiceNotFound();
      await limit.check();
      await client.query(DELETE_OLD_RUNS, [webServiceId, KEPT]);
      const { rows } = await client.query<StoredRun>(INSERT_RUN, [id, webServiceId, command, JSON.stringify(release)]);
      return rows[0]!;
    });
    this.#notify();
    return created;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
