import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Mount } from './sandbox-mounts.js';
import type { SandboxPrograms } from './sandbox-programs.js';

/** overlayfs separates layers with these characters, and mount(8) options with the comma. */
const SEPARATORS = /[:,\\"]/;

/** The two folders that overlayfs needs for the changes; they must be on one file system. */
export const foldersOfLayer = (layer: string) => ({ changes: join(layer, 'changes'), work: join(layer, 'work') });

/** A writable view of a read-only folder; undefined if overlayfs cannot express the paths. */
export const workingCopy = (source: string, layer: string, target: string): Mount | undefined => {
  const { changes, work } = foldersOfLayer(layer);
  if ([source, changes, work].some(path => SEPARATORS.test(path))) return undefined;
  const layers = [`lowerdir=${source}`, `upperdir=${changes}`, `workdir=${work}`];
  return { source: 'overlay', target, type: 'overlay', options: [...layers, 'nosuid', 'nodev'] };
};

/** Mounts like a sandbox: the folder is on the file system of the artefacts, and the layer is on another one. */
const PROBE = `"$1" -t tmpfs -o size=1m probe "$2/layer" && mkdir "$2/layer/changes" "$2/layer/work" &&
"$1" -t overlay -o "lowerdir=$2/lower,upperdir=$2/layer/changes,workdir=$2/layer/work" probe "$2/merged" &&
touch "$2/merged/file"`;

/** Whether the kernel mounts overlayfs over a folder below `parent`. */
export const canMakeWorkingCopies = async (parent: string, { unshare, mount }: SandboxPrograms): Promise<boolean> => {
  const folder = await mkdtemp(join(parent, 'overlay-probe-'));
  try {
    for (const name of ['lower', 'layer', 'merged']) await mkdir(join(folder, name));
    const command = [unshare, '--mount', '--', '/bin/sh', '-c', PROBE, 'probe', mount, folder];
    await promisify(execFile)(command[0]!, command.slice(1), { timeout: 60_000 });
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
