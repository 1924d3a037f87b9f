import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dnsFindings } from '../dns/dns-findings.js';
import { run } from '../machine/run.js';
import type { Model } from '../rendering/model.js';
import { PORTS } from '../rendering/places.js';
import { checked, type Finding } from './finding.js';
import { outboundMailFinding } from './outbound-mail.js';

export { showFindings } from './finding.js';

const GIB = 1024 ** 3;
const SUPPORTED: Readonly<Record<string, readonly string[]>> = { debian: ['12', '13'], ubuntu: ['24.04'] };
const PROGRAMS: Readonly<Record<string, string>> = {
  '/usr/bin/caddy': 'caddy',
  '/usr/sbin/nft': 'nftables',
  '/usr/bin/zstd': 'zstd',
  '/usr/bin/age': 'age',
  '/usr/bin/tar': 'tar',
};

const systemFinding = (): Finding => {
  const text = readFileSync('/etc/os-release', 'utf8');
  const value = (name: string) => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? '';
  const found = value('PRETTY_NAME');
  const supported = SUPPORTED[value('ID')]?.includes(value('VERSION_ID')) ?? false;
  if (supported) return { check: 'system', verdict: 'good', found };
  return { check: 'system', verdict: 'warning', found, advice: 'Tested are Debian 12 and 13 and Ubuntu 24.04.' };
};

const memoryFinding = (): Finding => {
  const gib = totalmem() / GIB;
  const found = `${gib.toFixed(1)} GiB`;
  // Machines with 2 GB have a little less.
  if (gib >= 1.8) return { check: 'memory', verdict: 'good', found };
  return { check: 'memory', verdict: 'bad', found, advice: 'Postern needs 2 GiB.' };
};

const diskFinding = (): Finding => {
  const { bavail, bsize } = statfsSync('/var/lib');
  const gib = (bavail * bsize) / GIB;
  const found = `${gib.toFixed(1)} GiB free at /var/lib`;
  if (gib >= 10) return { check: 'disk', verdict: 'good', found };
  return { check: 'disk', verdict: gib < 4 ? 'bad' : 'warning', found, advice: 'Postern needs 10 GiB of free space.' };
};

const clockFinding = async (): Promise<Finding> => {
  const synchronized = (await run('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'])).trim() === 'yes';
  if (synchronized) return { check: 'clock', verdict: 'good', found: 'synchronized' };
  const advice = 'Turn on time synchronization: apt-get install systemd-timesyncd && timedatectl set-ntp true';
  return { check: 'clock', verdict: 'warning', found: 'not synchronized', advice };
};

const programFindings = (model: Model): Finding[] => {
  const needed = {
    ...PROGRAMS,
    ...(model.configuration.mail.send === 'direct' ? { '/usr/sbin/postfix': 'postfix' } : {}),
    ...(model.configuration.backup.s3 ? { '/usr/bin/rclone': 'rclone' } : {}),
  };
  const missing = Object.entries(needed).filter(([path]) => !existsSync(path));
  if (missing.length === 0) return [{ check: 'programs', verdict: 'good', found: 'installed' }];
  const packages = missing.map(([, name]) => name).join(' ');
  return [{ check: 'programs', verdict: 'bad', found: `missing: ${packages}`, advice: `apt-get install ${packages}` }];
};

/** Whether parts of this installation run already, whose ports are not taken by others. */
const runsHere = (): Promise<boolean> =>
  run('systemctl', ['list-units', 'postern-*.service', '--state=running', '--plain', '--no-legend']).then(
    units => units.trim() !== '',
    () => false,
  );

/** Ports of Postern that another program listens on. */
const portFindings = async ({ configuration }: Model): Promise<Finding[]> => {
  const ports = [80, 443, PORTS.submission, PORTS.submissionTls, PORTS.bounces, PORTS.gateway, PORTS.nats];
  const wanted = configuration.apps === undefined ? ports : [...ports, PORTS.balancer];
  const listening = (await run('ss', ['-Hltnp'])).split('\n').flatMap(line => {
    const port = Number(/^\S+\s+\S+\s+\S+\s+\S+:(\d+)\s/.exec(line)?.[1]);
    return wanted.includes(port) ? [{ port, program: /"([^"]+)"/.exec(line)?.[1] ?? 'another program' }] : [];
  });
  if (await runsHere()) return [{ check: 'ports', verdict: 'good', found: 'used by Postern' }];
  const taken = [...new Map(listening.map(each => [each.port, each])).values()];
  if (taken.length === 0) return [{ check: 'ports', verdict: 'good', found: 'free' }];
  return taken.map(({ port, program }) => ({
    check: `port ${port}`,
    verdict: 'bad',
    found: `used by ${program}`,
    advice:
      program === 'caddy'
        ? 'Stop the Caddy of the distribution: systemctl disable --now caddy'
        : `Stop ${program}, or let it listen on another port.`,
  }));
};

/** Checks the machine and its names before anything is changed. */
export const preflight = async (model: Model): Promise<readonly Finding[]> => [
  systemFinding(),
  memoryFinding(),
  diskFinding(),
  await checked('clock', clockFinding),
  ...programFindings(model),
  ...(await portFindings(model)),
  ...(model.configuration.mail.send === 'direct' ? [await outboundMailFinding()] : []),
  ...(await dnsFindings(model.configuration)).map(finding => beforeTheStart(finding, model)),
];

/** Only the address of the gateway must exist before the start: without it, there is no certificate. */
const beforeTheStart = (finding: Finding, { configuration: { host } }: Model): Finding =>
  finding.verdict === 'bad' && !finding.check.startsWith(`${host} `) ? { ...finding, verdict: 'warning' } : finding;
