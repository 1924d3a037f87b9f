import { statfsSync, statSync } from 'node:fs';
import { isCertificateLate } from '@postern/contracts';
import type { Plan } from '../applying/plan.js';
import { latestBackup } from '../backups/backup-folder.js';
import { copiedToBucketAt } from '../backups/bucket.js';
import { stopped, unsupervised } from '../commands/processes.js';
import { dnsFindings } from '../dns/dns-findings.js';
import { run } from '../machine/run.js';
import { checked, type Finding } from '../preflight/finding.js';
import { outboundMailFinding } from '../preflight/outbound-mail.js';
import { PLACES, PORTS } from '../rendering/places.js';
import { unitsOf } from '../rendering/render.js';
import { certificateOf, type ServedCertificate } from '../services/certificate.js';
import { healthOfAll } from '../services/health.js';
import { fullFinding } from '../storage/full-finding.js';
import { measureStorage, type Storage } from '../storage/samples.js';
import { queueFinding } from './mail-queue.js';
import { operationFinding } from './operation-finding.js';
import { releaseFinding } from './running-releases.js';
import { walFinding } from './wal-finding.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const diskFinding = (): Finding => {
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

export const judgeCertificate = (
  { validFrom, validUntil, issuer }: ServedCertificate,
  now = Date.now(),
): Pick<Finding, 'verdict' | 'found'> => {
  const left = (Date.parse(validUntil) - now) / DAY_MS;
  const found = `valid for ${left < 2 ? `${Math.floor(left * 24)} hours` : `${Math.floor(left)} days`}, issued by ${issuer}`;
  return {
    verdict:
      left <= 0
        ? 'bad'
        : isCertificateLate(new Date(validFrom), new Date(validUntil), new Date(now))
          ? 'warning'
          : 'good',
    found,
  };
};

const certificateFinding = async (host: string): Promise<Finding> => {
  const certificate = await certificateOf(host);
  const check = `certificate of ${host}`;
  const advice = 'See "postern logs caddy". The name must lead to this server, and ports 80 and 443 must be open.';
  if (!certificate) return { check, verdict: 'bad', found: 'none', advice };
  return { check, ...judgeCertificate(certificate), advice };
};

const backupFinding = ({ model: { configuration } }: Plan): Finding => {
  const { to, every } = configuration.backup;
  const latest = latestBackup(to);
  const check = 'backup';
  const advice =
    'Make one: postern backup. The reason of a failure is in "journalctl --namespace=postern -u postern-backup".';
  if (!latest) {
    const isNew = Date.now() - statSync(`${PLACES.postgres}/PG_VERSION`).mtimeMs < every * 2 * HOUR_MS;
    if (isNew) return { check, verdict: 'good', found: `none yet; the first one is made within ${every} hours` };
    return { check, verdict: 'bad', found: `none in ${to}`, advice };
  }
  const hours = (Date.now() - Date.parse(latest.createdAt)) / HOUR_MS;
  const found = `${hours.toFixed(1)} hours old, ${latest.provenAt === undefined ? 'not proven' : 'restored into a scratch cluster'}`;
  return { check, verdict: hours > every * 2 ? 'bad' : 'good', found, advice };
};

const COPIED_WITHIN_MINUTES = 15;

/** Whether backups and WAL reach the bucket, to which a timer copies them every minute. */
export const judgeCopy = (copiedAt: Date | undefined, now = Date.now()): Finding => {
  const minutes = copiedAt && (now - copiedAt.getTime()) / 60_000;
  return {
    check: 'backup copy',
    verdict: minutes === undefined ? 'warning' : minutes > COPIED_WITHIN_MINUTES ? 'bad' : 'good',
    found:
      minutes === undefined ? 'nothing is in the bucket yet' : `in the bucket until ${Math.floor(minutes)} minutes ago`,
    advice: 'Copy now: postern backup copy',
  };
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

/** The checks of this machine; nothing that needs NATS, and only the storage needs PostgreSQL. */
export const serverFindings = async (
  plan: Plan,
  storage: Promise<Storage> = measureStorage(plan.model),
): Promise<readonly Finding[]> => {
  storage.catch(() => undefined);
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
    await checked('backup', async () => backupFinding(plan)),
    await checked('WAL archive', async () => walFinding(plan)),
    ...(configuration.backup.s3 ? [judgeCopy(copiedToBucketAt())] : []),
    operationFinding(),
    await checked('release', () => releaseFinding(configuration)),
    await checked('storage', async () => fullFinding(await storage)),
    ...(configuration.mail.send === 'direct' ? [await checked('mail queue', queueFinding)] : []),
    ...(configuration.mail.send === 'direct' ? [await outboundMailFinding()] : []),
    ...(await dnsFindings(configuration)),
  ];
};
