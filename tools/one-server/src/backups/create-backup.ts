import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RELEASE } from '../applying/plan.js';
import { readJson, writeJson } from '../machine/files.js';
import { run } from '../machine/run.js';
import { systemIdentifier } from '../machine/system-identifier.js';
import { asPostgres } from '../operations/prepare-machine.js';
import { recoveryRecipient } from '../operations/recovery-key.js';
import { type Model, WITH_DATABASE } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { pack } from './archives.js';
import {
  type BackupManifest,
  backupName,
  listBackups,
  manifestOf,
  outdatedBackups,
  provenBackups,
} from './backup-folder.js';
import { digestOf } from './digest.js';
import { type BackupWal, listWal, unneededWal, walFolderOf } from './wal-archive.js';

type Print = (line: string) => void;

/** Databases with their number of events, of the cluster with this socket. */
export const countEvents = async (socket: string): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {};
  for (const service of WITH_DATABASE) {
    const database = `postern_${service.replaceAll('-', '_')}`;
    const query = ['--no-psqlrc', '-tA', '-v', 'ON_ERROR_STOP=1', '-c', 'SELECT count(*) FROM event_store.events'];
    counts[database] = Number(await asPostgres(['psql', '-h', socket, '-d', database, ...query]));
  }
  return counts;
};

/** Where postgres can write: the folder of backups is closed to it. */
const SPOOL = `${PLACES.state}/backup`;

/** The WAL that a base backup needs. */
const walRangeOf = (base: string): Pick<BackupWal, 'timeline' | 'start' | 'end'> => {
  const manifest = JSON.parse(readFileSync(join(base, 'backup_manifest'), 'utf8')) as {
    readonly 'WAL-Ranges': readonly { Timeline: number; 'Start-LSN': string; 'End-LSN': string }[];
  };
  const range = manifest['WAL-Ranges'].at(-1);
  if (!range) throw new Error(`${base}/backup_manifest has no WAL range.`);
  return { timeline: range.Timeline, start: range['Start-LSN'], end: range['End-LSN'] };
};

/** Copies the databases. @returns where the WAL that continues the copy begins. */
const packDatabases = async (model: Model, folder: string): Promise<BackupWal> => {
  const { postgresBin } = model.machine;
  rmSync(SPOOL, { recursive: true, force: true });
  mkdirSync(SPOOL, { mode: 0o700 });
  await run('chown', ['postgres:postgres', SPOOL]);
  try {
    const base = join(SPOOL, 'postgresql');
    const options = [`--pgdata=${base}`, '--checkpoint=fast', '--wal-method=stream'];
    await asPostgres([`${postgresBin}/pg_basebackup`, '-h', PLACES.postgresSocket, ...options]);
    const endedAt = new Date().toISOString();
    await asPostgres([`${postgresBin}/pg_verifybackup`, base]);
    await pack(SPOOL, ['postgresql'], folder, 'postgresql');
    return { system: await systemIdentifier(postgresBin, base), ...walRangeOf(base), endedAt };
  } finally {
    rmSync(SPOOL, { recursive: true, force: true });
  }
};

const ARCHIVED_WITHIN_MS = 60_000;

/** Ends the current WAL segment, and waits until it is archived. @returns whether it was, within a minute. */
export const archiveCurrentWal = async (backups: string, system: string): Promise<boolean> => {
  const query = ['-d', 'postgres', '--no-psqlrc', '-tA', '-c', 'SELECT pg_walfile_name(pg_switch_wal())'];
  const segment = (await asPostgres(['psql', '-h', PLACES.postgresSocket, ...query])).trim();
  const folder = join(walFolderOf(backups), system);
  for (const deadline = Date.now() + ARCHIVED_WITHIN_MS; ; await pause(200)) {
    if (listWal(folder).some(({ name }) => name === segment)) return true;
    if (Date.now() > deadline) return false;
  }
};

/** Secrets can be read with the recovery key only, so that a stolen backup does not open what is encrypted in it. */
const packSecrets = async (folder: string): Promise<void> => {
  const plain = join(folder, 'secrets.tar');
  try {
    await run('tar', ['--create', '--file', plain, '-C', PLACES.secrets, '.']);
    await run('age', [
      '--encrypt',
      '--recipient',
      recoveryRecipient(),
      '--output',
      join(folder, 'secrets.tar.age'),
      plain,
    ]);
  } finally {
    rmSync(plain, { force: true });
  }
};

/** The names, below the platform's home, of what a deployment does not create again. */
const platformData = (): readonly string[] => {
  const databases = join(PLACES.platform, 'databases');
  const backups = existsSync(databases) ? readdirSync(databases).map(id => `databases/${id}/backups`) : [];
  // Clients of databases trust this authority.
  return ['disks', 'databases/authority', ...backups];
};

export interface BackupTarget {
  /** The folder of backups; the configured one unless it is given. */
  readonly to?: string;
  /** Keeps more backups than configured, because one of them may be needed again. */
  readonly keepAll?: boolean;
}

/** Creates a backup. @returns its path. An interrupted one is deleted by the next. */
export const createBackup = async (model: Model, print: Print, target: BackupTarget = {}): Promise<string> => {
  const { to = model.configuration.backup.to, keepAll = false } = target;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const left of readdirSync(to).filter(name => name.endsWith('.incomplete')))
    rmSync(join(to, left), { recursive: true, force: true });
  const createdAt = new Date();
  const path = join(to, backupName(createdAt));
  const folder = `${path}.incomplete`;
  mkdirSync(folder, { mode: 0o700 });
  const events = await countEvents(PLACES.postgresSocket);
  print('Copying the databases');
  const wal = await packDatabases(model, folder);
  print('Copying settings, secrets, certificates and disks');
  await packSecrets(folder);
  await pack('/etc/postern', ['config.yaml', 'recovery-recipient'], folder, 'settings');
  await pack(PLACES.state, ['caddy'], folder, 'certificates');
  if (existsSync(PLACES.platform)) await pack(PLACES.platform, platformData(), folder, 'platform');
  const later = await countEvents(PLACES.postgresSocket);
  const isArchived = await archiveCurrentWal(model.configuration.backup.to, wal.system);
  if (!isArchived) print('WAL is not archived, so this backup can only be restored as it is. See "postern doctor".');
  const files = await Promise.all(
    readdirSync(folder).map(async name => [name, await digestOf(join(folder, name))] as const),
  );
  const manifest: BackupManifest = {
    format: 2,
    createdAt: createdAt.toISOString(),
    version: readJson<{ version: string }>(join(RELEASE, 'manifest.json'))?.version ?? 'unreleased',
    postgresVersion: /(\d+)\/bin/.exec(model.machine.postgresBin)?.[1] ?? '',
    events,
    files: Object.fromEntries(files),
    wal: isArchived ? { ...wal, events: later } : wal,
  };
  writeJson(join(folder, 'manifest.json'), manifest, 0o600);
  await run('sync', ['-f', folder]);
  renameSync(folder, path);
  if (!keepAll) deleteOutdated(to, model.configuration.backup.keep);
  return path;
};

const deleteOutdated = (folder: string, keep: number): void => {
  for (const name of outdatedBackups(listBackups(folder), provenBackups(folder), keep))
    rmSync(join(folder, name), { recursive: true, force: true });
  const archive = walFolderOf(folder);
  const stored = existsSync(archive) ? (readdirSync(archive, { recursive: true }) as string[]) : [];
  const kept = listBackups(folder).flatMap(name => manifestOf(join(folder, name))?.wal ?? []);
  for (const path of unneededWal(stored, kept)) rmSync(join(archive, path), { force: true });
};
