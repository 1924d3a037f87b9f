import { delimiter, isAbsolute, join } from 'node:path';
import { isProgram } from '../../../infrastructure/is-program.js';

/** Paths of the programs that create a sandbox. */
export interface SandboxPrograms {
  readonly unshare: string;
  readonly mount: string;
  readonly umount: string;
  readonly pivotRoot: string;
  readonly chroot: string;
  /** Only Dockerfile builds need it. */
  readonly nsenter: string | undefined;
}

const USUAL = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];

/** Finds the programs on this host; undefined if a required one is missing. */
export const findSandboxPrograms = (path = process.env['PATH'] ?? ''): SandboxPrograms | undefined => {
  const folders = [...USUAL, ...path.split(delimiter).filter(isAbsolute)];
  const find = (name: string) => folders.map(folder => join(folder, name)).find(isProgram);
  const [unshare, mount, umount] = [find('unshare'), find('mount'), find('umount')];
  const [pivotRoot, chroot] = [find('pivot_root'), find('chroot')];
  const nsenter = find('nsenter');
  if (!unshare || !mount || !umount || !pivotRoot || !chroot) return undefined;
  return { unshare, mount, umount, pivotRoot, chroot, nsenter };
};
