import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { type Plan, planOf, RELEASE } from '../applying/plan.js';
import { latestBackup } from '../backups/backup-folder.js';
import { dnsFindings } from '../dns/dns-findings.js';
import { run, succeeds } from '../machine/run.js';
import { SecretStore } from '../machine/secret-store.js';
import { checked, type Finding, showFindings } from '../preflight/finding.js';
import { outboundMailFinding } from '../preflight/outbound-mail.js';
import { PLACES, PORTS } from '../rendering/places.js';
import { unitsOf } from '../rendering/render.js';
import { certificateOf } from '../services/certificate.js';
import { healthOfAll } from '../services/health.js';
import { stopped, unsupervised } from './processes.js';

type Print = (line: string) => void;

const DAY_MS = 86_400_000;

const diskFinding = (): Finding => {
  const { bavail, blocks, bsize } = statfsSync(PLACES.state);
  const percent = (bavail / blocks) * 100;
  const gigabytes = (bavail * bsize) / 1e9;
  const found = `${Math.round(percent)} % free (${gigabytes.toFixed(1)} GB) at ${PLACES.state}`;
  const advice =
    'Free space: "postern storage" shows what takes it. PostgreSQL stops on a full disk, and continues when there is space.';
  // A large disk has enough space below the percentage.
  const verdict =
    gigabytes < 0.5 || (percent < 3 && gigabytes < 5) ? 'bad' : percent < 10 && gigabytes < 10 ? 'warning' : 'good';
  return { check: 'disk', verdict, found, advice };
};

const unitFindings = async (units: readonly string[]): Promise<Finding[]> => {
  const [down, unwatched] = [await stopped(units), await unsupervised(units)];
  return [
    down.length === 0
      ? { check: 'units', verdict: 'good', found: `${units.length} active` }
      : {
          check: 'units',
          verdict: 'bad',
          found: `not active: ${down.join(', ')}`,
          advice: 'Start them: postern up. The reason is in "postern logs".',
        },
    unwatched.length === 0
      ? { check: 'supervision', verdict: 'good', found: 'systemd restarts every process' }
      : {
          check: 'supervision',
          verdict: 'bad',
          found: `Restart is not "always": ${unwatched.join(', ')}`,
          advice: 'Remove your drop-ins for these units, and run "postern config apply".',
        },
  ];
};

const changesFinding = ({ changes }: Plan): Finding =>
  changes.length === 0
    ? { check: 'configuration', verdict: 'good', found: 'applied' }
    : {
        check: 'configuration',
        verdict: 'warning',
        found: `${changes.length} files differ: ${changes[0]?.path}`,
        advice: 'See "postern config check", and run "postern config apply".',
      };

const certificateFinding = async (host: string): Promise<Finding> => {
  const certificate = await certificateOf(host);
  const check = `certificate of ${host}`;
  const advice = 'See "postern logs caddy". The name must lead to this server, and ports 80 and 443 must be open.';
  if (!certificate) return { check, verdict: 'bad', found: 'none', advice };
  const days = (Date.parse(certificate.validUntil) - Date.now()) / DAY_MS;
  const found = `valid for ${days < 2 ? `${Math.floor(days * 24)} hours` : `${Math.floor(days)} days`}, issued by ${certificate.issuer}`;
  // Authorities with short certificates renew when a third is left.
  return { check, verdict: days <= 0 ? 'bad' : 'good', found, advice };
};

const backupFinding = ({ model: { configuration } }: Plan): Finding => {
  const { to, every } = configuration.backup;
  const latest = latestBackup(to);
  const check = 'backup';
  const advice =
    'Make one: postern backup. The reason of a failure is in "journalctl --namespace=postern -u postern-backup".';
  if (!latest) return { check, verdict: 'warning', found: `none in ${to}`, advice };
  const hours = (Date.now() - Date.parse(latest.createdAt)) / 3_600_000;
  const found = `${hours.toFixed(1)} hours old, ${latest.provenAt === undefined ? 'not proven' : 'restored into a scratch cluster'}`;
  return { check, verdict: hours > every * 2 ? 'bad' : 'good', found, advice };
};

/** Sockets that listen on all addresses, except those that the firewall opens. */
const portsFinding = async ({ model }: Plan): Promise<Finding> => {
  const check = 'ports';
  if (!model.configuration.firewall)
    return {
      check,
      verdict: 'warning',
      found: 'firewall: false; the firewall of Postern is off',
      advice: 'Refuse all ports but 22, 25, 80, 443, 465 and 587 with another firewall.',
    };
  const loaded = await run('nft', ['list', 'chain', 'inet', 'postern', 'input']).catch(() => '');
  if (!loaded.includes('policy drop'))
    return {
      check,
      verdict: 'bad',
      found: 'the firewall is not loaded',
      advice: 'Load it: systemctl restart postern-firewall',
    };
  const isOpen = [PORTS.submission, PORTS.submissionTls, 80, 443].every(port => loaded.includes(String(port)));
  return isOpen
    ? { check, verdict: 'good', found: `only ${model.machine.sshPorts.join(', ')}, 25, 80, 443, 465 and 587 are open` }
    : {
        check,
        verdict: 'bad',
        found: 'the firewall was changed',
        advice: 'Load it again: systemctl restart postern-firewall',
      };
};

/** The checks of this machine; the disk first, and nothing that needs NATS or PostgreSQL. */
const machineFindings = async (plan: Plan): Promise<readonly Finding[]> => {
  const { configuration } = plan.model;
  const health = await healthOfAll(configuration);
  const unready = health.filter(({ ready }) => !ready);
  return [
    ...(await unitFindings(unitsOf(plan.files))),
    unready.length === 0
      ? { check: 'health', verdict: 'good', found: `${health.length} services ready` }
      : {
          check: 'health',
          verdict: 'bad',
          found: unready.map(({ service, reason }) => `${service}: ${reason}`).join('; '),
          advice: 'See "postern logs <service>".',
        },
    changesFinding(plan),
    await portsFinding(plan),
    await certificateFinding(configuration.host),
    backupFinding(plan),
    ...(configuration.mail.send === 'direct' ? [await outboundMailFinding()] : []),
    ...(await dnsFindings(configuration)),
  ];
};

/** The settings with which the commands for administrators reach NATS. */
export const operatorEnvironment = (): Readonly<Record<string, string>> => ({
  POSTERN_NATS_SERVERS: `tls://127.0.0.1:${PORTS.nats}`,
  POSTERN_NATS_CA_FILE: `${PLACES.natsTls}/ca.crt`,
  POSTERN_NATS_USER: 'operator',
  POSTERN_NATS_PASSWORD: new SecretStore().read('nats-operator') ?? '',
});

/** Runs a command for administrators, such as `users create`. */
export const administer = (args: readonly string[]): Promise<boolean> =>
  run(process.execPath, [join(RELEASE, 'tools/postern-cli/dist/main.js'), ...args], {
    inherit: true,
    environment: operatorEnvironment(),
  }).then(
    () => true,
    () => false,
  );

/** `doctor [--no-mail]`: checks this machine, then everything that the services depend on. @returns whether nothing failed. */
export const doctor = async (options: { readonly mail: boolean }, print: Print): Promise<boolean> => {
  const disk = await checked('disk', async () => diskFinding());
  print('This server');
  let failed = showFindings([disk], print);
  failed += showFindings(await machineFindings(await planOf()), print);
  print('');
  const inside = (await succeeds('systemctl', ['is-active', '--quiet', 'postern-nats.service']))
    ? await administer(['doctor', ...(options.mail ? [] : ['--no-mail'])])
    : false;
  print(failed === 0 && inside ? 'This server: 0 failed.' : `This server: ${failed} failed.`);
  return failed === 0 && inside;
};
