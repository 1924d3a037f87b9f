import { join } from 'node:path';
import type { SandboxFolders } from './confinement.js';

/** By this variable every process of an instance is recognised, whatever became of its parent. */
export const INSTANCE_MARKER = 'POSTERN_INSTANCE';

/** Below its folder the only places that an instance may write to. */
export const temporaryFolder = (instanceFolder: string): string => join(instanceFolder, 'tmp');
export const homeFolder = (instanceFolder: string): string => join(instanceFolder, 'home');

/** What an instance's processes begin with, before its owner's variables: nothing of the platform's own environment. */
export const firstEnvironment = (id: string, path: string): Record<string, string> => ({
  PATH: path,
  LANG: 'C.UTF-8',
  [INSTANCE_MARKER]: id,
});

/** Where programs of an image are looked for, unless it says something else. */
export const IMAGE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The same in an image, whose configuration says the rest. */
export const imageEnvironment = (id: string): Record<string, string> => ({
  PATH: IMAGE_PATH,
  [INSTANCE_MARKER]: id,
});

/** What its owner has set, and what only the platform can say. */
export const serviceEnvironment = (
  { id, port, folders }: { readonly id: string; readonly port: number | undefined; readonly folders: SandboxFolders },
  variables: Readonly<Record<string, string>>,
): Record<string, string> => ({
  HOME: folders.home,
  TMPDIR: folders.temporary,
  ...variables,
  ...(port !== undefined && { PORT: String(port) }),
  ...(folders.disk !== undefined && { DISK_PATH: folders.disk }),
  [INSTANCE_MARKER]: id,
});
