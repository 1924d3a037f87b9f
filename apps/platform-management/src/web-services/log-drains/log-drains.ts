import { Injectable } from '@nestjs/common';
import { LOG_DRAINS_PER_WEB_SERVICE, type LogDrainKind, Refusal } from '@postern/contracts';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { Database, KeyRing } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import { type DrainTarget, shownUrlOf } from './drain-target.js';
import type { DeploymentTimes } from './drained-line.js';
import {
  COUNT_LOG_DRAINS,
  DELETE_LOG_DRAIN,
  DEPLOYMENT_TIMES,
  DISABLE_LOG_DRAIN,
  DUE_LOG_DRAINS,
  ENABLE_LOG_DRAIN,
  FIND_LOG_DRAIN,
  INSERT_LOG_DRAIN,
  LIST_LOG_DRAINS,
  OPEN_LOG_DRAIN,
  OPEN_TARGET,
  RECORD_DELIVERY,
  RECORD_FAILURE,
  RECORD_LOSS,
  SEAL_TARGET,
} from './log-drains.sql.js';

/** A log drain without its secrets. */
export interface LogDrainRow {
  readonly id: string;
  readonly webServiceId: string;
  readonly kind: LogDrainKind;
  readonly shownUrl: string;
  readonly headerNames: readonly string[];
  readonly linesWaiting: number | null;
  readonly linesLost: number;
  readonly failingSince: Date | null;
  readonly nextAttemptAt: Date;
  readonly lastError: string | null;
  readonly lastDeliveredAt: Date | null;
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
}

/** A place in a log: the id of a line, and how many lines the log had up to it. */
export interface LogPosition {
  readonly cursor: string;
  readonly linesBefore: number;
}

/** A drain that is about to be sent lines. */
export interface OpenedDrain extends LogPosition {
  readonly id: string;
  readonly webServiceId: string;
  /** Of the web service. */
  readonly name: string;
  readonly kind: LogDrainKind;
  readonly target: DrainTarget;
  readonly linesWaiting: number | null;
  /** Failed attempts since the last success. */
  readonly failures: number;
}

export interface DueDrain {
  readonly id: string;
  readonly workspaceId: string;
}

type SealedRow<T extends { target: DrainTarget }> = Omit<T, 'target'> & { readonly sealed: string };
type TargetOfDrain = Pick<OpenedDrain, 'name' | 'kind' | 'target'>;

/** Stores drains and their positions as rows without events, because nothing else depends on them. */
@Injectable()
export class LogDrains {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  /** Refuses with `web_service_not_found` and `too_many_log_drains`. */
  async create(
    webServiceId: string,
    kind: LogDrainKind,
    target: DrainTarget,
    start: LogPosition,
  ): Promise<LogDrainRow> {
    const id = uuidv7();
    const stream = webServiceStream(webServiceId);
    await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [stream]);
      if (await isDeleted(client, stream)) throw webServiceNotFound();
      const { rows } = await client.query<{ count: number }>(COUNT_LOG_DRAINS, [webServiceId]);
      if ((rows[0]?.count ?? 0) >= LOG_DRAINS_PER_WEB_SERVICE)
        throw new Refusal(
          'too_many_log_drains',
          `a web service has at most ${LOG_DRAINS_PER_WEB_SERVICE} log drains; delete one first`,
        );
      await client.query(SEAL_TARGET, [id, this.keys.seal(JSON.stringify(target), rowOf(id)), webServiceId]);
      const names = Object.keys(target.headers);
      await client.query(INSERT_LOG_DRAIN, [
        ...[id, webServiceId, kind, shownUrlOf(target), names],
        ...[start.cursor, start.linesBefore, 0],
      ]);
    });
    return this.require(webServiceId, id);
  }

  /** Oldest first. */
  async list(webServiceId: string): Promise<readonly LogDrainRow[]> {
    return (await this.database.pool.query<LogDrainRow>(LIST_LOG_DRAINS, [webServiceId])).rows;
  }

  /** Refuses with `log_drain_not_found`. */
  async require(webServiceId: string, id: string): Promise<LogDrainRow> {
    const { rows } = await this.database.pool.query<LogDrainRow>(FIND_LOG_DRAIN, [webServiceId, id]);
    if (!rows[0]) throw logDrainNotFound();
    return rows[0];
  }

  async setEnabled(id: string, isEnabled: boolean): Promise<void> {
    await this.database.pool.query(isEnabled ? ENABLE_LOG_DRAIN : DISABLE_LOG_DRAIN, [id]);
  }

  /** Deletes the drain with its secrets. Refuses with `log_drain_not_found`. */
  async remove(webServiceId: string, id: string): Promise<void> {
    const { rowCount } = await this.database.pool.query(DELETE_LOG_DRAIN, [webServiceId, id]);
    if (rowCount === 0) throw logDrainNotFound();
  }

  /** Where a drain sends lines, for a test. Refuses with `log_drain_not_found`. */
  async targetOf(webServiceId: string, id: string): Promise<TargetOfDrain> {
    const { rows } = await this.database.pool.query<SealedRow<TargetOfDrain>>(OPEN_TARGET, [webServiceId, id]);
    if (!rows[0]) throw logDrainNotFound();
    return this.#opened(id, rows[0]);
  }

  /** Drains that may have lines to send, those that have waited longest first. */
  async due(): Promise<readonly DueDrain[]> {
    return (await this.database.pool.query<DueDrain>({ name: 'due-log-drains', text: DUE_LOG_DRAINS })).rows;
  }

  /** Undefined if the drain was disabled or deleted. */
  async open(id: string): Promise<OpenedDrain | undefined> {
    const { rows } = await this.database.pool.query<SealedRow<OpenedDrain>>(OPEN_LOG_DRAIN, [id]);
    return rows[0] && this.#opened(id, rows[0]);
  }

  /** The last deployments of a web service, newest first. */
  async deploymentsOf(webServiceId: string): Promise<readonly DeploymentTimes[]> {
    return (await this.database.pool.query<DeploymentTimes>(DEPLOYMENT_TIMES, [webServiceId])).rows;
  }

  /** Moves the position behind `lines` lines. @returns false if the drain was moved, disabled or deleted meanwhile. */
  async recordDelivery(
    { id, cursor }: OpenedDrain,
    { next, lines, waiting }: { readonly next: string; readonly lines: number; readonly waiting: number | null },
  ): Promise<boolean> {
    return (await this.database.pool.query(RECORD_DELIVERY, [id, cursor, next, lines, waiting])).rowCount === 1;
  }

  async recordFailure(
    { id, cursor }: OpenedDrain,
    {
      error,
      retryInMs,
      waiting,
    }: { readonly error: string; readonly retryInMs: number; readonly waiting: number | null },
  ): Promise<void> {
    await this.database.pool.query(RECORD_FAILURE, [id, cursor, error, retryInMs, waiting]);
  }

  /** Lines after the position were deleted; the log now has `linesBefore` lines up to the first that is left. */
  async recordLoss({ id, cursor }: OpenedDrain, lost: number, linesBefore: number): Promise<void> {
    await this.database.pool.query(RECORD_LOSS, [id, cursor, lost, linesBefore]);
  }

  #opened<T extends { target: DrainTarget }>(id: string, { sealed, ...row }: SealedRow<T>): T {
    return { ...row, target: JSON.parse(this.keys.open(sealed, rowOf(id))) as DrainTarget } as unknown as T;
  }
}

const rowOf = (id: string): string => `sealed_values/${id}`;

const logDrainNotFound = (): Refusal =>
  new Refusal('log_drain_not_found', 'there is no such log drain of this web service');
