import { join } from 'node:path';
import { Command } from 'commander';
import { writeChanges } from './applying/apply.js';
import { isApplicationPending } from './applying/pending.js';
import { planOf, RELEASE } from './applying/plan.js';
import { backup, copyBackups, showBackups } from './commands/backup.js';
import { check } from './commands/check.js';
import { type ComposeOptions, composeConfiguration } from './commands/compose.js';
import { applyConfiguration, checkConfiguration } from './commands/config.js';
import { dns } from './commands/dns.js';
import { doctor } from './commands/doctor.js';
import { install } from './commands/install.js';
import { down, logs, restart, status, up } from './commands/processes.js';
import { type RestoreOptions, restore } from './commands/restore.js';
import { newRecoveryKey, setSecret } from './commands/secrets.js';
import { storage } from './commands/storage.js';
import { uninstall } from './commands/uninstall.js';
import { rollback, upgrade } from './commands/upgrade.js';
import { readJson } from './machine/files.js';
import { interrupted } from './operations/journal.js';
import { prepareFolders } from './operations/prepare-machine.js';
import { renewSubmissionCertificate } from './services/certificate.js';

/** Command groups that are sent to the services over NATS (docs/operations.md). */
export const ADMINISTRATION: readonly string[] = [
  'audit',
  'bounces',
  'can-deploy',
  'events',
  'keys',
  'projections',
  'recipients',
  'releases',
  'users',
];

const AFTER = `
Settings are in /etc/postern/config.yaml, secrets in /etc/postern/secrets.
Commands for administrators: ${ADMINISTRATION.join(', ')}; see "postern users --help".
Exit status: 0 success, 1 failed, 2 usage error.`;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const failing = async (result: Promise<boolean>): Promise<void> => {
  if (!(await result)) process.exitCode = 1;
};

/** Continues what a kill has interrupted. */
const resume = async (): Promise<void> => {
  const journal = interrupted();
  if (!journal) return isApplicationPending() ? applyConfiguration(print) : print('Nothing was interrupted.');
  print(`Continuing "postern ${journal.operation}" of ${journal.startedAt}`);
  const { args } = journal;
  switch (journal.operation) {
    case 'install':
      return install({ force: args['force'] === true, resumed: true }, print);
    case 'restore':
      return restore(
        String(args['folder']),
        { yes: true, resumed: true, ...(args['targetTime'] ? { targetTime: String(args['targetTime']) } : {}) },
        print,
      );
    case 'upgrade':
      return upgrade({ version: String(args['version']), from: String(args['from']), acceptNoReturn: true }, print);
    case 'rollback':
      return rollback({ from: String(args['from']), to: String(args['to']) }, print);
    case 'uninstall':
      return uninstall({ purge: args['purge'] === true, yes: true }, print);
    default:
      throw new Error(`"postern ${journal.operation}" was interrupted, which this release does not know.`);
  }
};

const configuration = (): Command => {
  const config = new Command('config').description('check and apply /etc/postern/config.yaml');
  config
    .command('check')
    .description('show what an application would change')
    .action(() => checkConfiguration(print));
  config
    .command('apply')
    .description('show the difference, write it, and restart only what changed')
    .action(() => applyConfiguration(print));
  config
    .command('compose <folder>')
    .description('write the same configuration as compose.yaml for Docker Compose, with the files that it needs')
    .option('--set <file>', 'set of releases with the digests of images; without it, the set of this bundle')
    .option('--trusted-web-services', 'run web services although containers do not isolate their code')
    .action((folder: string, options: ComposeOptions) => composeConfiguration(folder, options, print));
  config.command('write', { hidden: true }).action(async () => {
    const plan = await planOf();
    await writeChanges(plan);
    await prepareFolders(plan.model);
  });
  return config;
};

const processes = (root: Command): void => {
  root
    .command('up [part]')
    .description('start everything, or one part')
    .action((part?: string) => up(part, print));
  root
    .command('down [part]')
    .description('stop everything, or one part')
    .action((part?: string) => down(part, print));
  root
    .command('restart [part]')
    .description('replace the processes of all services, or restart one part')
    .action((part?: string) => restart(part, print));
  root
    .command('status')
    .description('versions, health, disk, certificate and backup')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) => failing(status(json === true, print)));
  root
    .command('logs [part]')
    .description('show the log of everything, or of one part')
    .option('-f, --follow', 'wait for more')
    .option('-n, --lines <number>', 'number of lines', '100')
    .action(logs);
};

const data = (root: Command): void => {
  const backups = root
    .command('backup')
    .description('back up everything, and prove the backup in a scratch cluster')
    .option('--to <folder>', 'another folder than backup.to')
    .option('--scheduled', 'prove a backup once a week only')
    .action((options: { to?: string; scheduled?: boolean }) => backup(options, print));
  backups
    .command('list')
    .description('list backups')
    .action(() => showBackups(print));
  backups
    .command('copy')
    .description('copy backups and WAL to the bucket; a timer does it every minute')
    .action(() => copyBackups(print));
  root
    .command('restore <backup>')
    .description('replace everything by a backup; standard input is the recovery key')
    .option('--yes', 'replace existing data')
    .option('--target-time <time>', 'restore the databases to a time after the backup, such as 2026-11-27T18:00:00Z')
    .option('--endpoint <url>', 'S3 storage of a backup s3://bucket/prefix/name; without it, that of Amazon')
    .option('--region <name>', 'region of this storage', 'us-east-1')
    .action((given: string, options: { yes?: boolean } & Omit<RestoreOptions, 'yes' | 'resumed'>) =>
      restore(given, { ...options, yes: options.yes === true }, print),
    );
  root
    .command('storage')
    .description('what takes how much of the disk, and when it will be full')
    .action(() => storage(print));
};

/** The complete command. */
export const program = (): Command => {
  const { version = 'unreleased' } = readJson<{ version?: string }>(join(RELEASE, 'manifest.json')) ?? {};
  const root = new Command('postern')
    .description('Run Postern on this server')
    .version(version)
    .addHelpText('after', AFTER);
  root
    .command('install')
    .description('check this server, then create everything that config.yaml describes; running it again repairs')
    .option('--force', 'continue although checks failed')
    .action(({ force }: { force?: boolean }) => install({ force: force === true }, print));
  root.addCommand(configuration());
  processes(root);
  root
    .command('dns')
    .description('the DNS records to publish, and whether they are')
    .option('--zone', 'print lines for a zone file')
    .action(({ zone }: { zone?: boolean }) => failing(dns(zone === true, print)));
  root
    .command('doctor')
    .description('check this server and everything that Postern depends on')
    .option('--no-mail', 'do not send a message')
    .action(({ mail }: { mail: boolean }) => failing(doctor({ mail }, print)));
  root
    .command('check')
    .description(
      'check everything but the mail round trip, and notify the operator of changes; a timer does it every hour',
    )
    .option('--now', 'take what is found at once, instead of looking again after a minute')
    .action(({ now }: { now?: boolean }) => failing(check({ now: now === true }, print)));
  data(root);
  root
    .command('upgrade <version>')
    .description('change to an unpacked release, with a backup before and an automatic return')
    .option('--accept-no-return', 'although the current release cannot run on its data')
    .action((wanted: string, { acceptNoReturn }: { acceptNoReturn?: boolean }) =>
      upgrade({ version: wanted, acceptNoReturn: acceptNoReturn === true }, print),
    );
  root
    .command('rollback [service]')
    .description('return to the release before the last upgrade, or one service to its earlier version')
    .action((service?: string) => rollback(service === undefined ? {} : { service }, print));
  root.command('resume').description('continue what a kill or a power failure interrupted').action(resume);
  root
    .command('secret')
    .description('replace a secret')
    .command('set <name>')
    .description('from standard input')
    .action((name: string) => setSecret(name, print));
  root
    .command('recovery-key')
    .description('the key of the secrets in backups')
    .command('create')
    .option('--replace', 'replace the key of later backups')
    .action(({ replace }: { replace?: boolean }) => newRecoveryKey(replace === true, print));
  root
    .command('uninstall')
    .description('stop Postern and remove its units; data stays')
    .option('--purge', 'delete data and secrets')
    .option('--yes', 'do it')
    .action(({ purge, yes }: { purge?: boolean; yes?: boolean }) =>
      uninstall({ purge: purge === true, yes: yes === true }, print),
    );
  root
    .command('certificate', { hidden: true })
    .command('renew')
    .action(async () => renewSubmissionCertificate((await planOf()).model.configuration.host, print));
  return root;
};
