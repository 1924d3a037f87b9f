import { Injectable } from '@nestjs/common';
import type { createDatabase, RequestOf } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { DatabaseBackups } from '@postern/runtime';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';
import type { DatabaseRow, RestoreSource } from './ports.js';

/** A period of time that a database can be recovered to with one backup, in milliseconds since 1970. */
interface Period {
  readonly backupId: string;
  readonly from: number;
  readonly to: number;
}

export interface RecoveryTimes {
  /** Oldest first. */
  readonly periods: readonly Period[];
  readonly problem: string | undefined;
}

/** The data that a new database can be created with: a backup, or a point in time. */
@Injectable()
export class RestoreSources {
  constructor(
    private readonly directory: Databases,
    private readonly backups: DatabaseBackupRecords,
    private readonly runtime: DatabaseBackups,
  ) {}

  /**
   * Refuses with `database_not_found`, `backup_not_found`, `backup_not_completed`, `target_time_unavailable`, and with `invalid_input` if the
   * new database could not hold the data.
   */
  async find(
    { workspace_id, kind, version, restore_from }: RequestOf<typeof createDatabase>,
    { storageBytes }: Pick<DatabaseRow['limits'], 'storageBytes'>,
  ): Promise<RestoreSource | undefined> {
    if (!restore_from) return undefined;
    const { database_id, backup_id, target_time } = restore_from;
    const source = await ownedDatabase(this.directory, { workspace_id, database_id });
    if (kind !== source.kind) throw invalid('kind', `the data are those of a ${source.kind} database`);
    if (version !== undefined) throw invalid('version', 'leave it out; the version is that of the other database');
    if (storageBytes < source.limits.storageBytes)
      throw invalid('plan', `choose one that stores as much as \`${source.plan}\`, the plan of the other database`);
    const username = await this.directory.usernameOf(source.id);
    if (username === undefined) throw new Refusal('backup_not_found', 'the other database has no backups any more');
    const common = { sourceId: source.id, username, version: source.version };
    if (backup_id !== undefined)
      return { ...common, backupId: (await this.backups.completed(source.id, backup_id)).id, targetTime: undefined };
    if (kind !== 'relational') throw invalid('restore_from.target_time', 'only a relational database has one');
    const targetTime = new Date(target_time ?? '');
    return { ...common, backupId: await this.#backupBefore(source.id, targetTime), targetTime };
  }

  /** The times that a relational database can be recovered to; those of backups that have been deleted are left out. */
  async timesOf(databaseId: string): Promise<RecoveryTimes> {
    const [found, backups] = await Promise.all([this.runtime.recoveryOf(databaseId), this.backups.listOf(databaseId)]);
    const completed = new Set(backups.filter(({ status }) => status === 'completed').map(({ id }) => id));
    const periods = (found?.ranges ?? [])
      .filter(({ backupId }) => completed.has(backupId))
      .map(({ backupId, earliest, latest }) => ({ backupId, from: Date.parse(earliest), to: Date.parse(latest) }))
      .sort((one, other) => one.from - other.from);
    return { periods, problem: found?.problem };
  }

  /** The newest backup with which the time can be reached has the fewest changes to repeat. */
  async #backupBefore(databaseId: string, targetTime: Date): Promise<string> {
    const { periods, problem } = await this.timesOf(databaseId);
    const at = targetTime.getTime();
    const found = periods.findLast(({ from, to }) => from <= at && at <= to);
    if (found) return found.backupId;
    const known = joined(periods).map(({ from, to }) => `from ${asText(from)} to ${asText(to)}`);
    const possible = known.length > 0 ? `choose a time ${known.join(', or ')}` : 'create a backup to begin with';
    throw new Refusal(
      'target_time_unavailable',
      `restore_from.target_time: ${asText(at)} cannot be recovered; ${possible}${problem ? ` (${problem})` : ''}`,
    );
  }
}

/** Overlapping periods as one. */
const joined = (periods: readonly Period[]): readonly Pick<Period, 'from' | 'to'>[] => {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of periods) {
    const last = result.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
};

/** With the start of the oldest period and the end of the newest one. */
export const recoveryReply = ({ periods, problem }: RecoveryTimes) => {
  const [first, last] = [periods[0], periods.map(({ to }) => to).sort((one, other) => other - one)[0]];
  return {
    earliest: first ? asText(first.from) : null,
    latest: last === undefined ? null : asText(last),
    problem: problem ?? null,
  };
};

const asText = (at: number): string => new Date(at).toISOString();

const invalid = (field: string, reason: string): Refusal => new Refusal('invalid_input', `${field}: ${reason}`);
