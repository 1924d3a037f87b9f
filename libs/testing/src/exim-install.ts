import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { unpackPackages } from './debian-packages.js';
import { installOnce } from './install-once.js';
import { programFolder } from './program-folder.js';

/** Exim, and the folder of its libraries. */
export interface EximProgram {
  readonly program: string;
  readonly libraries: string;
}

/** Reads users and groups from separate files, because Exim runs as a user whose name is compiled in. */
export const NSS_WRAPPER = 'libnss_wrapper.so';

const kept = (): EximProgram => ({
  program: join(programFolder(), 'exim', 'exim4'),
  libraries: join(programFolder(), 'exim', 'lib'),
});

/**
 * Gets Exim from Debian packages, which are unpacked and not installed, because an installation removes Postfix. Downloads are cached.
 * @throws with the reason.
 */
export function findExim(): Promise<EximProgram> {
  return installOnce(programFolder(), 'exim', {
    find: async () => (existsSync(kept().program) ? kept() : undefined),
    install: installExim,
  });
}

async function installExim(): Promise<EximProgram> {
  const temporary = await mkdtemp(join(tmpdir(), 'postern-exim-'));
  try {
    const { folder, libraries } = await unpackPackages(temporary, ['exim4-daemon-light', 'libnss-wrapper']);
    await keep(join(folder, 'usr/sbin/exim4'), libraries);
    return kept();
  } catch (error) {
    throw new Error(`Exim could not be downloaded with apt-get: ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Renamed when it is complete. Without the setuid bit, so that it loads libraries from this folder. */
async function keep(program: string, libraries: readonly string[]): Promise<void> {
  const draft = await mkdtemp(join(programFolder(), '.exim-'));
  try {
    await mkdir(join(draft, 'lib'));
    await copyFile(program, join(draft, 'exim4'));
    for (const library of libraries) await copyFile(library, join(draft, 'lib', basename(library)));
    for (const path of [draft, join(draft, 'lib'), join(draft, 'exim4')]) await chmod(path, 0o755);
    await rename(draft, join(programFolder(), 'exim'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
