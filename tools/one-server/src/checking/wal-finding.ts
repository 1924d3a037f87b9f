import { readdirSync } from 'node:fs';
import type { Plan } from '../applying/plan.js';
import { latestBackup, restorableRanges } from '../backups/backup-folder.js';
import {
  type BackupWal,
  hasGap,
  listWal,
  rangeText,
  type TimeRange,
  type WalFile,
  walFolderOfBackup,
} from '../backups/wal-archive.js';
import type { Finding } from '../preflight/finding.js';
import { PLACES } from '../rendering/places.js';

/** While the archive works, few files wait for it. */
const MANY_WAITING = 5;

export interface WalState {
  /** The number of WAL files that are not archived. */
  readonly waiting: number;
  /** The newest backup, and the files of the archive that continues it. */
  readonly backup: BackupWal | undefined;
  readonly files: readonly WalFile[];
  /** The times that can be restored. */
  readonly ranges: readonly TimeRange[];
}

/** Whether every time since the newest backup can be restored. */
export const judgeWal = ({ waiting, backup, files, ranges }: WalState): Finding => {
  const check = 'WAL archive';
  if (waiting >= MANY_WAITING)
    return {
      check,
      verdict: 'bad',
      found: `${waiting} WAL files wait for the archive`,
      advice:
        'The reason is in "postern logs postgresql". When 64 files wait (1 GiB), PostgreSQL drops them so that they do not fill the disk.',
    };
  if (!backup) return { check, verdict: 'good', found: 'times can be restored from the next backup on' };
  const newest = ranges.at(-1);
  if (!newest || hasGap(files, backup))
    return {
      check,
      verdict: 'bad',
      found: `WAL is missing: no time after ${newest ? newest.to.toISOString() : 'the newest backup'} can be restored`,
      advice: 'Make a backup: postern backup. Times after it can be restored again.',
    };
  return { check, verdict: 'good', found: `times ${ranges.map(rangeText).join(', and ')} can be restored` };
};

export const walFinding = ({ model: { configuration } }: Plan): Finding => {
  const { to } = configuration.backup;
  const waiting = readdirSync(`${PLACES.postgres}/pg_wal/archive_status`).filter(name =>
    name.endsWith('.ready'),
  ).length;
  const latest = latestBackup(to);
  const files = latest?.wal ? listWal(walFolderOfBackup(latest.path, latest.wal)) : [];
  return judgeWal({ waiting, backup: latest?.wal, files, ranges: restorableRanges(to) });
};
