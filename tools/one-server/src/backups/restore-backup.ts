import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { startChanged, writeChanges } from '../applying/apply.js';
import { changesOf } from '../applying/changes.js';
import { planOf, readModel } from '../applying/plan.js';
import { machineFacts } from '../machine/facts.js';
import { ProgramError, run, systemctl } from '../machine/run.js';
import { BACKUP_KEY } from '../operations/backup-key.js';
import type { Step } from '../operations/journal.js';
import { asPostgres, prepareCertificates, prepareDatabases, prepareFolders } from '../operations/prepare-machine.js';
import type { Model } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { renderFiles } from '../rendering/render.js';
import { untilHealthy } from '../services/health.js';
import { hasArchive, unpack } from './archives.js';
import { createBackup } from './create-backup.js';
import { verifyFiles } from './prove-backup.js';
import { recoverCluster } from './recover-cluster.js';

type Print = (line: string) => void;

/** Decrypts the secrets. @param keyFile the file with the recovery key. @throws in words if it is another key. */
export const decryptSecrets = async (folder: string, keyFile: string, target: string): Promise<void> => {
  const archive = join(target, 'secrets.tar');
  try {
    await run('age', ['--decrypt', '--identity', keyFile, '--output', archive, join(folder, 'secrets.tar.age')]);
  } catch (error) {
    if (error instanceof ProgramError && /no identity matched|malformed|unknown identity/i.test(error.message))
      throw new Error(
        'This is not the recovery key of the backup. Use the key that "postern install" showed: AGE-SECRET-KEY-1…',
      );
    throw error;
  }
  await run('tar', ['--extract', '--file', archive, '-C', target]);
  rmSync(archive);
};

const replaceSecrets = async (folder: string, keyFile: string): Promise<void> => {
  const incomplete = `${PLACES.secrets}.new`;
  rmSync(incomplete, { recursive: true, force: true });
  // The servers read their files below this folder.
  mkdirSync(dirname(PLACES.secrets), { recursive: true, mode: 0o755 });
  mkdirSync(incomplete, { mode: 0o700 });
  await decryptSecrets(folder, keyFile, incomplete);
  // A backup of the first format has no key of backups, and the WAL on this server was written with the present one.
  if (existsSync(BACKUP_KEY) && !existsSync(join(incomplete, basename(BACKUP_KEY))))
    copyFileSync(BACKUP_KEY, join(incomplete, basename(BACKUP_KEY)));
  rmSync(PLACES.secrets, { recursive: true, force: true });
  renameSync(incomplete, PLACES.secrets);
};

const replaceCluster = async ({ backup, target }: Restore, model: Model): Promise<void> => {
  const incomplete = `${PLACES.postgres}.new`;
  // A killed restore leaves its cluster running.
  await asPostgres([
    `${model.machine.postgresBin}/pg_ctl`,
    '-D',
    join(incomplete, 'postgresql'),
    '-m',
    'immediate',
    'stop',
  ]).catch(() => undefined);
  rmSync(incomplete, { recursive: true, force: true });
  mkdirSync(incomplete, { recursive: true });
  await recoverCluster({ backup, folder: incomplete, until: target ?? 'backup', archives: true }, model);
  rmSync(PLACES.postgres, { recursive: true, force: true });
  renameSync(join(incomplete, 'postgresql'), PLACES.postgres);
  rmSync(incomplete, { recursive: true, force: true });
};

export interface Restore {
  readonly backup: string;
  /** A file with the recovery key. */
  readonly keyFile: string;
  /** The time to which the databases are restored, instead of that of the backup. */
  readonly target: Date | undefined;
}

/** The steps of a restore; each can run again after a kill. */
export const restoreSteps = (restore: Restore, print: Print): readonly Step[] => {
  const { backup, keyFile } = restore;
  const stop = async (): Promise<void> => {
    await systemctl('stop', 'postern.target').catch(() => undefined);
    await run('sh', ['-c', 'systemctl stop "postern-*.service" "postern-*.timer"']).catch(() => undefined);
  };
  const model = async () => readModel(await machineFacts((await verifyFiles(backup)).postgresVersion));
  return [
    { name: 'verify', title: `Verifying ${backup}`, run: async () => void (await verifyFiles(backup)) },
    { name: 'secrets', title: 'Decrypting the secrets', run: () => replaceSecrets(backup, keyFile) },
    {
      name: 'settings',
      title: 'Restoring the settings',
      // A configuration that exists is for this machine, and wins.
      run: () =>
        unpack(backup, 'settings', '/etc/postern', existsSync(PLACES.configuration) ? ['--skip-old-files'] : []),
    },
    { name: 'stop', title: 'Stopping Postern', run: stop },
    {
      name: 'files',
      title: 'Writing the rendered files',
      run: async () => {
        const found = await model();
        const files = renderFiles(found);
        await writeChanges({ model: found, files, changes: changesOf(files, {}) });
        await prepareFolders(found);
      },
    },
    {
      name: 'cluster',
      title: `Restoring the databases${restore.target ? ` as of ${restore.target.toISOString()}` : ''}`,
      run: async () => replaceCluster(restore, await model()),
    },
    {
      name: 'data',
      title: 'Restoring certificates and disks, and emptying NATS',
      run: async () => {
        rmSync(PLACES.nats, { recursive: true, force: true });
        await unpack(backup, 'certificates', PLACES.state);
        if (hasArchive(backup, 'platform')) await unpack(backup, 'platform', PLACES.platform);
        await prepareFolders(await model());
        await prepareCertificates(await model());
      },
    },
    { name: 'databases', title: 'Checking databases and roles', run: prepareDatabases },
    {
      name: 'start',
      title: 'Starting, and waiting until every service is ready',
      run: async () => {
        const plan = await planOf();
        await startChanged(plan.files, print);
        await untilHealthy(plan.model.configuration, print, 300_000);
      },
    },
    {
      name: 'backup',
      title: 'Backing up, so that times from now on can be restored',
      run: async () => void (await createBackup((await planOf()).model, print, { keepAll: true })),
    },
  ];
};
