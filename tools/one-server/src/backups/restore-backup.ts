import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startChanged, writeChanges } from '../applying/apply.js';
import { changesOf } from '../applying/changes.js';
import { planOf, readModel } from '../applying/plan.js';
import { machineFacts } from '../machine/facts.js';
import { ProgramError, run, systemctl } from '../machine/run.js';
import type { Step } from '../operations/journal.js';
import { prepareCertificates, prepareDatabases, prepareFolders } from '../operations/prepare-machine.js';
import { PLACES } from '../rendering/places.js';
import { untilHealthy } from '../services/health.js';
import { verifyFiles } from './prove-backup.js';

type Print = (line: string) => void;

const extract = (archive: string, target: string): Promise<string> =>
  run('tar', ['--extract', '--zstd', '--numeric-owner', '--sparse', '--file', archive, '-C', target]);

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
  rmSync(PLACES.secrets, { recursive: true, force: true });
  renameSync(incomplete, PLACES.secrets);
};

const replaceCluster = async (folder: string): Promise<void> => {
  const incomplete = `${PLACES.postgres}.new`;
  rmSync(incomplete, { recursive: true, force: true });
  mkdirSync(incomplete, { recursive: true });
  await extract(join(folder, 'postgresql.tar.zst'), incomplete);
  rmSync(PLACES.postgres, { recursive: true, force: true });
  renameSync(join(incomplete, 'postgresql'), PLACES.postgres);
  // The owner by name: on another machine, postgres has another number.
  await run('chown', ['-R', 'postgres:postgres', PLACES.postgres]);
  rmSync(incomplete, { recursive: true, force: true });
};

/** The steps of a restore; each can run again after a kill. */
export const restoreSteps = (folder: string, keyFile: string, print: Print): readonly Step[] => {
  const stop = async (): Promise<void> => {
    await systemctl('stop', 'postern.target').catch(() => undefined);
    await run('sh', ['-c', 'systemctl stop "postern-*.service" "postern-*.timer"']).catch(() => undefined);
  };
  const model = async () => readModel(await machineFacts((await verifyFiles(folder)).postgresVersion));
  return [
    { name: 'verify', title: `Verifying ${folder}`, run: async () => void (await verifyFiles(folder)) },
    { name: 'secrets', title: 'Decrypting the secrets', run: () => replaceSecrets(folder, keyFile) },
    {
      name: 'settings',
      title: 'Restoring the settings',
      // A configuration that exists is for this machine, and wins.
      run: async () => {
        const keep = existsSync(PLACES.configuration) ? ['--skip-old-files'] : [];
        await run('tar', [
          '--extract',
          '--zstd',
          ...keep,
          '--file',
          join(folder, 'settings.tar.zst'),
          '-C',
          '/etc/postern',
        ]);
      },
    },
    { name: 'stop', title: 'Stopping Postern', run: stop },
    { name: 'cluster', title: 'Restoring the databases', run: () => replaceCluster(folder) },
    {
      name: 'files',
      title: 'Writing the rendered files',
      run: async () => {
        const plan = await planOf();
        await writeChanges({ ...plan, changes: changesOf(plan.files, {}) });
      },
    },
    {
      name: 'data',
      title: 'Restoring certificates and disks, and emptying NATS',
      run: async () => {
        rmSync(PLACES.nats, { recursive: true, force: true });
        await prepareFolders(await model());
        await extract(join(folder, 'certificates.tar.zst'), PLACES.state);
        await run('chown', ['-R', 'caddy:caddy', PLACES.caddy]);
        if (existsSync(join(folder, 'platform.tar.zst')))
          await extract(join(folder, 'platform.tar.zst'), PLACES.platform);
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
  ];
};
