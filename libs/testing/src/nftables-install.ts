import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackPackages } from './debian-packages.js';
import { installOnce } from './install-once.js';
import { programFolder } from './program-folder.js';
import { findKept, keepProgram } from './unpacked-program.js';

/** Where distributions install nft. PATH is not searched: an unrelated package of npm has a program of this name. */
const USUAL = ['/usr/sbin/nft', '/sbin/nft', '/usr/bin/nft', '/usr/local/sbin/nft'];
const FOLDER = 'nftables';

/** The libraries of libnftables1, in addition to those that nftables itself names. */
const LIBRARIES = ['libjansson4', 'libmnl0', 'libnftnl11', 'libxtables12', 'libgmp10', 'libbsd0', 'libmd0'];

/**
 * Finds nft, or unpacks the package nftables of the distribution without installing it. Only root can use it.
 * @returns undefined when that fails; `onProgress` receives instructions.
 */
export async function findNft(
  onProgress: (message: string) => void = () => undefined,
  usual: readonly string[] = USUAL,
): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  try {
    return await installOnce(programFolder(), FOLDER, {
      find: async () => process.env['POSTERN_PLATFORM_NFT_BIN'] || usual.find(isProgram) || findKept(FOLDER, 'nft'),
      install: () => install(onProgress),
    });
  } catch (error) {
    onProgress(
      `web services share the network of this machine, and code of a second workspace is refused: there is no nft (${(error as Error).message.split('\n').at(-1)}). Install the packages nftables and iproute2, and start again, or set POSTERN_SHARED_NETWORK=true if nobody else deploys here`,
    );
    return undefined;
  }
}

async function install(onProgress: (message: string) => void): Promise<string> {
  onProgress('fetching nftables, which separates the networks of web services');
  const temporary = await mkdtemp(join(tmpdir(), 'postern-nftables-'));
  try {
    const { folder, libraries } = await unpackPackages(temporary, ['nftables', ...LIBRARIES]);
    return await keepProgram(FOLDER, 'nft', { program: join(folder, 'usr/sbin/nft'), libraries });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
