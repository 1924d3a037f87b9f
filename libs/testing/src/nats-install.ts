import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PATCHED_NATS } from '@postern/contracts/nats-release';
import { installOnce } from './install-once.js';
import {
  type FindNatsOptions,
  inspect,
  installedNatsServer,
  type NatsBinary,
  type NatsLine,
  satisfies,
} from './nats-binaries.js';

const run = promisify(execFile);
/** A build takes minutes on a small machine. */
const GO_WITHIN_MS = 10 * 60_000;
const goModule = 'github.com/nats-io/nats-server/v2@v2.12.12';

/**
 * Finds a NATS server, or installs one with Go or from packages of the distribution. An installed server is kept in the cache of the
 * workspace. Without a wanted line, a server with known security holes is used only if no other can be had.
 * @throws with instructions when no way works.
 */
export async function findNatsServer({ version, onProgress }: FindNatsOptions = {}): Promise<NatsBinary> {
  const report = onProgress ?? (() => undefined);
  if (version) return install(version, waysFor(version), report);
  return install('patched', [fromGo], report).catch((error: Error) => {
    report(error.message.split('\n').slice(-1).join());
    return install('supported', [...fromDebian(), fromGo], report);
  });
}

async function install(wanted: NatsLine, ways: readonly Way[], report: (line: string) => void): Promise<NatsBinary> {
  const find = async () => (await installedNatsServer(wanted)) ?? (await cachedServer(wanted));
  return installOnce(cacheDir(), `nats-server-${wanted}`, { find, install: () => tryEach(wanted, ways, find, report) });
}

async function tryEach(
  wanted: NatsLine,
  ways: readonly Way[],
  find: () => Promise<NatsBinary | undefined>,
  report: (line: string) => void,
): Promise<NatsBinary> {
  const refusals: string[] = [];
  for (const [name, attempt] of ways) {
    report(`no ${wanted} NATS server is installed: ${name}`);
    try {
      await attempt();
      const found = await find();
      if (found) return found;
      refusals.push(`${name}: gave another release than the wanted one`);
    } catch (error) {
      refusals.push(`${name}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`);
    }
  }
  throw new Error(
    `no ${wanted} NATS server here. Install Go (https://go.dev) or nats-server ${PATCHED_NATS.join(' or ')} or later (https://docs.nats.io, macOS: brew install nats-server), or set POSTERN_NATS_SERVER to its path. Tried:\n${refusals.join('\n')}`,
  );
}

type Way = [name: string, install: () => Promise<void>];

const fromGo: Way = [`go install ${goModule}`, installWithGo];

/** Debian stable has only releases with known security holes; Go builds any release. */
function fromDebian(): readonly Way[] {
  const unpack: Way = ['apt-get download nats-server', unpackFromDebian];
  const isRoot = process.getuid?.() === 0;
  return isRoot ? [['apt-get install nats-server', installFromDebian], unpack] : [unpack];
}

function waysFor(line: NatsLine): readonly Way[] {
  return line === '2.9' ? fromDebian() : [fromGo];
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
  const dir = await mkdtemp(join(tmpdir(), 'postern-nats-'));
  try {
    await buildWithGo({ GOBIN: dir, GOFLAGS: '-mod=mod' }, dir);
    await keep(join(dir, 'nats-server'), 'go');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Builds the patched NATS server with Go for Linux on another architecture.
 * @param architecture as Node.js names it, other than that of this machine
 * @param target the file of the program
 * @returns its release
 */
export async function buildNatsServer(architecture: 'x64' | 'arm64', target: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'postern-nats-'));
  const goarch = { x64: 'amd64', arm64: 'arm64' }[architecture];
  try {
    // Go puts a program of another architecture only below GOPATH; the modules stay in their usual cache.
    const { stdout } = await run(go(), ['env', 'GOMODCACHE']);
    const folders = { GOPATH: dir, GOBIN: '', GOMODCACHE: stdout.trim() };
    await buildWithGo({ ...folders, GOOS: 'linux', GOARCH: goarch, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' }, dir);
    await copyFile(join(dir, 'bin', `linux_${goarch}`, 'nats-server'), target);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  return goModule.split('@v')[1]!;
}

function buildWithGo(environment: Record<string, string>, cwd: string): Promise<unknown> {
  const env = { ...process.env, ...environment };
  return run(go(), ['install', '-ldflags=-s -w', goModule], { timeout: GO_WITHIN_MS, env, cwd });
}

const go = () => (existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : 'go');

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

async function cachedServer(wanted: NatsLine): Promise<NatsBinary | undefined> {
  for (const origin of ['go', 'debian']) {
    const found = await inspect(join(cacheDir(), `nats-server-${origin}`));
    if (found && satisfies(found.version, wanted)) return found;
  }
  return undefined;
}
