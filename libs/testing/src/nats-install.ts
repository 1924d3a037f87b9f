import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from './install-once.js';
import { type FindNatsOptions, inspect, installedNatsServer, type NatsBinary, satisfies } from './nats-binaries.js';

const run = promisify(execFile);
const goModule = 'github.com/nats-io/nats-server/v2@v2.12.2';

/**
 * Finds a NATS server, or installs one from packages of the distribution or with Go. An installed server is kept in
 * the cache of the workspace.
 * @throws with instructions when no way works.
 */
export async function findNatsServer(options: FindNatsOptions = {}): Promise<NatsBinary> {
  const find = async () => (await installedNatsServer(options.version)) ?? (await cachedServer(options.version));
  return installOnce(cacheDir(), `nats-server-${options.version ?? 'any'}`, {
    find,
    install: () => installNatsServer(options, find),
  });
}

async function installNatsServer(
  { version, onProgress: report = () => undefined }: FindNatsOptions,
  find: () => Promise<NatsBinary | undefined>,
): Promise<NatsBinary> {
  const refusals: string[] = [];
  for (const [name, install] of waysFor(version)) {
    report(`NATS server${version ? ` ${version}` : ''} is not installed: ${name}`);
    try {
      await install();
      const found = await find();
      if (found) return found;
      refusals.push(`${name}: gave another release than the wanted one`);
    } catch (error) {
      refusals.push(`${name}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`);
    }
  }
  throw new Error(
    `no NATS server ${version ?? '2.9 or newer'} here. Install it (https://docs.nats.io, Debian: apt-get install nats-server, macOS: brew install nats-server) or set POSTERN_NATS_SERVER to its path. Tried:\n${refusals.join('\n')}`,
  );
}

type Way = [name: string, install: () => Promise<void>];

function waysFor(version: string | undefined): Way[] {
  const fromGo: Way = [`go install ${goModule}`, installWithGo];
  const fromDebian: Way[] = [['apt-get download nats-server', unpackFromDebian]];
  if (process.getuid?.() === 0) fromDebian.unshift(['apt-get install nats-server', installFromDebian]);
  // Debian stable has only 2.9; Go builds any release.
  return version === '2.12' ? [fromGo] : version === '2.9' ? fromDebian : [...fromDebian, fromGo];
}

async function installFromDebian(): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () => run('apt-get', ['install', '-y', '--no-install-recommends', 'nats-server'], { env });
  await install().catch(async () => {
    await run('apt-get', ['update'], { env });
    await install();
  });
}

async function unpackFromDebian(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'postern-nats-'));
  try {
    await run('apt-get', ['download', 'nats-server'], { cwd: dir });
    const archive = (await readdir(dir)).find(name => name.endsWith('.deb'));
    if (!archive) throw new Error('apt-get downloaded nothing');
    await run('dpkg', ['-x', archive, 'unpacked'], { cwd: dir });
    await keep(join(dir, 'unpacked', 'usr', 'sbin', 'nats-server'), 'debian');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function installWithGo(): Promise<void> {
  const go = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : 'go';
  const dir = await mkdtemp(join(tmpdir(), 'postern-nats-'));
  try {
    await run(go, ['install', goModule], { env: { ...process.env, GOBIN: dir, GOFLAGS: '-mod=mod' }, cwd: dir });
    await keep(join(dir, 'nats-server'), 'go');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** `node_modules/.cache/postern` of the workspace; deleted with the dependencies and never committed. */
export function cacheDir(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package-lock.json'))) return join(folder, 'node_modules', '.cache', 'postern');
  }
  return join(tmpdir(), 'postern-cache');
}

async function keep(program: string, origin: string): Promise<void> {
  await mkdir(cacheDir(), { recursive: true });
  const target = join(cacheDir(), `nats-server-${origin}`);
  // Renamed atomically, so that a killed process leaves no partial program.
  const partial = `${target}.${process.pid}`;
  await copyFile(program, partial);
  await rename(partial, target);
}

async function cachedServer(wanted: string | undefined): Promise<NatsBinary | undefined> {
  for (const origin of ['go', 'debian']) {
    const found = await inspect(join(cacheDir(), `nats-server-${origin}`));
    if (found && satisfies(found.version, wanted)) return found;
  }
  return undefined;
}
