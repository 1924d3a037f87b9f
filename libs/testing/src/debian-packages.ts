import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const STEP_TIMEOUT_MS = 60_000;

/** Packages that are unpacked and not installed. */
export interface UnpackedPackages {
  readonly folder: string;
  /** Paths of the shared libraries in them. */
  readonly libraries: readonly string[];
}

/**
 * Downloads packages of the distribution and the libraries that the first one depends on, and unpacks them in a folder.
 * `updates`: downloads the package lists first if the packages cannot be found.
 */
export async function unpackPackages(
  folder: string,
  [first, ...others]: readonly [string, ...string[]],
  { updates = true } = {},
): Promise<UnpackedPackages> {
  const options = { cwd: folder, timeout: STEP_TIMEOUT_MS, env: { ...process.env, LC_ALL: 'C' } };
  const asRoot = process.getuid?.() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
  const download = (...names: string[]) => run('apt-get', ['download', '-q', ...asRoot, ...names], options);
  await download(first).catch(async error => {
    // A fresh machine may have no package lists; only root may download them.
    if (!updates || asRoot.length === 0) throw error;
    await run('apt-get', ['update', '-q'], options);
    await download(first);
  });
  const { stdout } = await run('apt-cache', ['depends', first], options);
  const libraries = [...stdout.matchAll(/^\s+Depends: (lib\S+)$/gm)].map(([, name = '']) => name);
  await download(...libraries.filter(name => name !== 'libc6'), ...others);
  for (const archive of (await readdir(folder)).filter(name => name.endsWith('.deb')))
    await run('dpkg', ['-x', archive, 'unpacked'], options);
  const unpacked = join(folder, 'unpacked');
  const files = await readdir(unpacked, { recursive: true });
  return {
    folder: unpacked,
    libraries: files.filter(path => /\/lib[^/]*\.so[.\d]*$/.test(path)).map(path => join(unpacked, path)),
  };
}
