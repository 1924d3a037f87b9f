import { startChanged, writeChanges } from '../applying/apply.js';
import { changesOf } from '../applying/changes.js';
import { type Plan, planOf } from '../applying/plan.js';
import { records } from '../dns/records.js';
import { SecretStore } from '../machine/secret-store.js';
import { interrupted, runSteps, type Step } from '../operations/journal.js';
import { withLock } from '../operations/lock.js';
import {
  prepareCertificates,
  prepareCluster,
  prepareDatabases,
  prepareFolders,
} from '../operations/prepare-machine.js';
import { createRecoveryKey, hasRecoveryKey } from '../operations/recovery-key.js';
import { preflight, showFindings } from '../preflight/preflight.js';
import { untilHealthy } from '../services/health.js';

type Print = (line: string) => void;

export interface InstallOptions {
  /** Continues although checks failed. */
  readonly force: boolean;
  /** Whether steps of an interrupted installation are continued, whose checks passed. */
  readonly resumed?: boolean;
}

/** What each step does; steps may run again after a kill. */
const stepsOf = (plan: Plan, print: Print): readonly Step[] => {
  const { model, files } = plan;
  return [
    {
      name: 'secrets',
      title: 'Creating secrets in /etc/postern/secrets',
      run: () => void new SecretStore().generate(),
    },
    {
      name: 'files',
      title: `Writing ${files.length} files`,
      run: () => writeChanges({ ...plan, changes: changesOf(files, {}) }),
    },
    { name: 'folders', title: 'Creating folders in /var/lib/postern', run: () => prepareFolders(model) },
    { name: 'certificates', title: 'Creating the certificates of NATS', run: () => prepareCertificates(model) },
    { name: 'cluster', title: 'Creating the PostgreSQL cluster', run: () => prepareCluster(model) },
    { name: 'databases', title: 'Creating databases and roles', run: prepareDatabases },
    { name: 'start', title: 'Starting', run: () => startChanged(files, print) },
    {
      name: 'ready',
      title: 'Waiting until every service is ready',
      run: () => untilHealthy(model.configuration, print),
    },
  ];
};

/** `install`: checks the machine, then creates everything that config.yaml describes. Running it again repairs. */
export const install = (options: InstallOptions, print: Print): Promise<void> =>
  withLock(async () => {
    const plan = await planOf();
    // An installation that was interrupted has passed the checks.
    if (!options.resumed && interrupted()?.operation !== 'install') {
      print('Checking this server:');
      const findings = await preflight(plan.model);
      const failed = showFindings(findings, print);
      if (failed > 0 && !options.force)
        throw new Error(
          `${failed} checks failed, and nothing was changed. Fix them, or accept them: postern install --force`,
        );
    }
    await runSteps('install', { force: options.force }, stepsOf(plan, print), print);
    await finish(plan, print);
  });

const finish = async ({ model: { configuration } }: Plan, print: Print): Promise<void> => {
  print('');
  print(`Postern runs at https://${configuration.host}`);
  print(`Sign in as ${configuration.operator} with the password in /etc/postern/secrets/operator-password.`);
  print('');
  print('Publish these records ("postern dns" checks them):');
  for (const record of await records(configuration)) print(`  ${record.name}. ${record.type} ${record.value}`);
  if (hasRecoveryKey()) return;
  print('');
  print(
    'The recovery key decrypts the secrets in backups. It is shown only now and stored nowhere; keep it in a safe place:',
  );
  await createRecoveryKey(key => print(`  ${key}`));
};
