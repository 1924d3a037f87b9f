import { delimiter, isAbsolute, join } from 'node:path';
import { isProgram } from '../../../infrastructure/is-program.js';

/** Paths of the programs that create networks: iproute2, nftables and util-linux. */
export interface NetworkPrograms {
  readonly ip: string;
  readonly nft: string;
  readonly nsenter: string;
}

const USUAL = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

/**
 * Finds the programs on this host. A folder `node_modules/.bin` is skipped: the package @vercel/nft has a program of the same name.
 * @param nft path of a given nft program. @returns the names of the missing ones if one is missing.
 */
export const findNetworkPrograms = (
  nft: string | undefined,
  path = process.env['PATH'] ?? '',
): NetworkPrograms | { readonly missing: readonly string[] } => {
  const find = (name: string) => findProgram(name, path);
  const found = { ip: find('ip'), nft: nft ?? find('nft'), nsenter: find('nsenter') };
  const missing = Object.entries(found).flatMap(([name, program]) => (program === undefined ? [name] : []));
  return missing.length > 0 ? { missing } : (found as NetworkPrograms);
};

export const findProgram = (name: string, path = process.env['PATH'] ?? ''): string | undefined => {
  const inPath = path.split(delimiter).filter(folder => isAbsolute(folder) && !folder.includes('/node_modules/'));
  return [...USUAL, ...inPath].map(folder => join(folder, name)).find(isProgram);
};
