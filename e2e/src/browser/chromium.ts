import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { programFolder } from '@postern/testing';

const run = promisify(execFile);
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the browser and its environment variables. */
export interface Chromium {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns the binary of `CHROMIUM`, an installed one, or the Debian package, which is unpacked and cached.
 * @throws with instructions if none is available.
 */
export async function findChromium(): Promise<Chromium> {
  const installed = [process.env['CHROMIUM'] ?? '', ...INSTALLED].find(existsSync);
  if (installed) return { program: installed, environment: {} };
  const folder = join(programFolder(), 'chromium');
  if (!existsSync(folder)) {
    await unpackFromDebian(folder).catch(error => {
      throw new Error(`there is no Chromium: install it, or set CHROMIUM to its path. ${error.message}`);
    });
  }
  const files = await readdir(folder, { recursive: true });
  const libraries = new Set(files.filter(file => /\.so[.\d]*$/.test(file)).map(file => join(folder, dirname(file))));
  return {
    program: join(folder, 'usr/lib/chromium/chromium'),
    environment: { LD_LIBRARY_PATH: [...libraries].join(delimiter) },
  };
}

/** Unpacks Chromium and its missing dependencies; installs nothing. */
async function unpackFromDebian(target: string): Promise<void> {
  await mkdir(programFolder(), { recursive: true });
  const draft = await mkdtemp(join(programFolder(), '.chromium-'));
  const options = { cwd: draft, maxBuffer: 16 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C' } };
  try {
    const plan = await run('apt-get', ['-s', '-y', '--no-install-recommends', 'install', 'chromium'], options);
    const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
    const asRoot = process.getuid?.() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
    await run('apt-get', ['download', '-q', ...asRoot, ...names], options);
    for (const archive of (await readdir(draft)).filter(name => name.endsWith('.deb')))
      await run('dpkg', ['-x', archive, 'unpacked'], options);
    await rename(join(draft, 'unpacked'), target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
