import { execFile } from 'node:child_process';
import { lstat, mkdir, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BuildFailed } from '@postern/runtime';
import { IMAGE_PATH } from '../../instances/instance-environment.js';
import { IMAGE_MOUNT_POINTS } from '../../sandbox/namespaces/image-view.js';

/** The maximum number of links that the kernel follows in a path. */
const MAX_LINKS = 40;
/** Programs in the image that Postern needs to start its processes. */
const NEEDED = ['cat', 'sleep'];

/**
 * Prepares the root file system of an image: deletes all entries but folders, files and links, and creates the mount points of a
 * sandbox. No process may change it meanwhile.
 * @throws BuildFailed if the image cannot be run.
 */
export const prepareImage = async (root: string, path = IMAGE_PATH): Promise<void> => {
  await removeSpecialFiles(root);
  await requirePrograms(root, path);
  for (const folder of IMAGE_MOUNT_POINTS.folders) await requireFolder(root, folder);
  for (const file of IMAGE_MOUNT_POINTS.files) await replaceFile(root, file);
};

/** Deletes devices, pipes and sockets; does not follow links. */
const removeSpecialFiles = async (root: string): Promise<void> => {
  const kept = ['f', 'd', 'l'].flatMap(type => ['!', '-type', type]);
  await promisify(execFile)('find', [root, '-xdev', '-mindepth', '1', ...kept, '-delete']);
};

/** Refuses links, because a mount through a link could lead out of the image. */
const requireFolder = async (root: string, folder: string): Promise<void> => {
  let at = root;
  for (const name of folder.split('/').filter(Boolean)) {
    at = join(at, name);
    const entry = await lstat(at).catch(() => undefined);
    if (!entry) await mkdir(at, { mode: 0o755 });
    else if (!entry.isDirectory())
      throw new BuildFailed(`the image cannot be run: ${at.slice(root.length)} must be a folder`);
  }
};

const replaceFile = async (root: string, file: string): Promise<void> => {
  await requireFolder(root, dirname(file));
  await rm(join(root, file), { recursive: true, force: true });
  await writeFile(join(root, file), '', { flag: 'wx' });
};

const requirePrograms = async (root: string, path: string): Promise<void> => {
  if (!(await isFileInside(root, '/bin/sh')))
    throw new BuildFailed(
      'the image has no /bin/sh, with which its processes are started: begin with an image that has one',
    );
  for (const name of NEEDED) {
    const found = await Promise.all(path.split(':').map(folder => isFileInside(root, join('/', folder, name))));
    if (!found.includes(true))
      throw new BuildFailed(
        `the image has no program ${name}, with which its processes are started: begin with an image that has one`,
      );
  }
};

/** Whether `path` is a file in the image. Links are resolved with `root` as the root directory. */
const isFileInside = async (root: string, path: string): Promise<boolean> => {
  const names = path.split('/');
  let at = '/';
  for (let links = 0; names.length > 0; ) {
    const name = names.shift()!;
    const next = join(at, name);
    const target = await readlink(join(root, next)).catch(() => undefined);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return false;
    names.unshift(...target.split('/'));
    if (target.startsWith('/')) at = '/';
  }
  const entry = await lstat(join(root, at)).catch(() => undefined);
  return entry?.isFile() ?? false;
};
