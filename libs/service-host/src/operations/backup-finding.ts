import type pg from 'pg';
import type { Finding } from './ports.js';
import { SELECT_ARCHIVER } from './postgres-findings.sql.js';

const OLD_HOURS = 24;
const HOUR_MS = 3_600_000;

interface Archiver {
  readonly wal_level: string;
  readonly archive_mode: string;
  readonly archived_at: Date | null;
  readonly failed_at: Date | null;
  readonly failed_wal: string | null;
  readonly now: Date;
}

/** The state of backups according to PostgreSQL: whether one is possible, and when WAL was last archived. */
export const backupFinding = async (client: pg.ClientBase): Promise<Finding> => {
  const { rows } = await client.query<Archiver>(SELECT_ARCHIVER);
  const [archiver] = rows;
  if (!archiver) throw new Error('PostgreSQL returned no row');
  return { check: 'PostgreSQL backups', ...judged(archiver) };
};

const judged = (archiver: Archiver): Omit<Finding, 'check'> => {
  const { wal_level, archive_mode, archived_at, failed_at, failed_wal, now } = archiver;
  const settings = `wal_level ${wal_level}, archive_mode ${archive_mode}`;
  if (wal_level === 'minimal')
    return {
      verdict: 'warning',
      found: settings,
      advice: 'Set wal_level = replica: pg_basebackup needs it, and a logical dump cannot be restored.',
    };
  if (archive_mode === 'off')
    return {
      verdict: 'warning',
      found: `${settings}: PostgreSQL does not know whether backups are made`,
      advice: 'Check that pg_basebackup runs regularly and that its copies can be restored; or archive WAL.',
    };
  const last = archived_at === null ? 'no WAL archived yet' : `WAL archived last at ${archived_at.toISOString()}`;
  if (failed_at !== null && failed_at > (archived_at ?? new Date(0)))
    return {
      verdict: 'bad',
      found: `${settings}, ${last}; ${failed_wal} failed at ${failed_at.toISOString()}`,
      advice: 'Fix archive_command: PostgreSQL keeps all WAL until it is archived, and the disk fills.',
    };
  if (archived_at === null || now.getTime() - archived_at.getTime() > OLD_HOURS * HOUR_MS)
    return {
      verdict: 'warning',
      found: `${settings}, ${last}`,
      advice: `Check the archive, and set archive_timeout: what was written for more than ${OLD_HOURS} hours may be in no backup.`,
    };
  return { verdict: 'good', found: `${settings}, ${last}` };
};
