import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RELEASE } from '../applying/plan.js';
import { readJson, writeJson } from '../machine/files.js';
import { run } from '../machine/run.js';
import { asPostgres } from '../operations/prepare-machine.js';
import { recoveryRecipient } from '../operations/recovery-key.js';
import { type Model, WITH_DATABASE } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { type BackupManifest, backupName, listBackups, manifestOf, outdatedBackups } from './backup-folder.js';

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

export const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/** Packs a folder, with the sparse files of disks kept sparse. */
const pack = async (from: string, names: readonly string[], target: string): Promise<void> => {
  const present = names.filter(name => existsSync(join(from, name)));
  const list = present.length > 0 ? present : ['--files-from=/dev/null'];
  await run('tar', [
    '--create',
    '--sparse',
    '--zstd',
    '--numeric-owner',
    '--warning=no-file-changed',
    '--file',
    target,
    '-C',
    from,
    ...list,
  ]);
};

/** Where postgres can write: the folder of backups is closed to it. */
const SPOOL = `${PLACES.state}/backup`;

const packDatabases = async ({ machine }: Model, folder: string): Promise<void> => {
  rmSync(SPOOL, { recursive: true, force: true });
  mkdirSync(SPOOL, { mode: 0o700 });
  await run('chown', ['postgres:postgres', SPOOL]);
  try {
    const base = join(SPOOL, 'postgresql');
    const options = [`--pgdata=${base}`, '--checkpoint=fast', '--wal-method=stream'];
    await asPostgres([`${machine.postgresBin}/pg_basebackup`, '-h', PLACES.postgresSocket, ...options]);
    await asPostgres([`${machine.postgresBin}/pg_verifybackup`, base]);
    await pack(SPOOL, ['postgresql'], join(folder, 'postgresql.tar.zst'));
  } finally {
    rmSync(SPOOL, { recursive: true, force: true });
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
  return ['disks', ...backups];
};

/** Creates a backup in the configured folder. @returns its path. An interrupted one is deleted by the next. */
export const createBackup = async (model: Model, print: Print, to = model.configuration.backup.to): Promise<string> => {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const left of readdirSync(to).filter(name => name.endsWith('.incomplete')))
    rmSync(join(to, left), { recursive: true, force: true });
  const createdAt = new Date();
  const path = join(to, backupName(createdAt));
  const folder = `${path}.incomplete`;
  mkdirSync(folder, { mode: 0o700 });
  const events = await countEvents(PLACES.postgresSocket);
  print('Copying the databases');
  await packDatabases(model, folder);
  print('Copying settings, secrets, certificates and disks');
  await packSecrets(folder);
  await pack('/etc/postern', ['config.yaml', 'recovery-recipient'], join(folder, 'settings.tar.zst'));
  await pack(PLACES.state, ['caddy'], join(folder, 'certificates.tar.zst'));
  if (existsSync(PLACES.platform)) await pack(PLACES.platform, platformData(), join(folder, 'platform.tar.zst'));
  const files = await Promise.all(
    readdirSync(folder).map(async name => [name, await digestOf(join(folder, name))] as const),
  );
  const manifest: BackupManifest = {
    format: 1,
    createdAt: createdAt.toISOString(),
    version: readJson<{ version: string }>(join(RELEASE, 'manifest.json'))?.version ?? 'unreleased',
    postgresVersion: /(\d+)\/bin/.exec(model.machine.postgresBin)?.[1] ?? '',
    events,
    files: Object.fromEntries(files),
  };
  writeJson(join(folder, 'manifest.json'), manifest, 0o600);
  await run('sync', ['-f', folder]);
  renameSync(folder, path);
  deleteOutdated(to, model.configuration.backup.keep);
  return path;
};

const deleteOutdated = (folder: string, keep: number): void => {
  const names = listBackups(folder);
  const proven = new Set(names.filter(name => manifestOf(join(folder, name))?.provenAt !== undefined));
  for (const name of outdatedBackups(names, proven, keep)) rmSync(join(folder, name), { recursive: true, force: true });
};
