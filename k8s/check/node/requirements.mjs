/** What the check on a real node needs of the machine. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const PROGRAMS = [
  'apt-get',
  'dpkg',
  'git',
  'go',
  'ip',
  'mount',
  'openssl',
  'perl',
  'setcap',
  'setpriv',
  'strip',
  'tar',
  'unshare',
];

const hasProgram = name => {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** @returns {string[]} one sentence per missing requirement. */
export const missingRequirements = () => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return ['It runs on Linux on x86-64.'];
  const missing = [];
  if (process.getuid?.() !== 0)
    missing.push('It runs as root: a kubelet mounts file systems and makes control groups.');
  if (!/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')))
    missing.push('It runs on Debian 12, whose packages it unpacks.');
  const programs = PROGRAMS.filter(name => !hasProgram(name));
  if (programs.length > 0) missing.push(`These programs are not on PATH: ${programs.join(', ')}.`);
  for (const fileSystem of ['overlay', 'cgroup'])
    if (!new RegExp(`\\s${fileSystem}2?$`, 'm').test(readFileSync('/proc/filesystems', 'utf8')))
      missing.push(`The kernel has no ${fileSystem} file system.`);
  return missing;
};
