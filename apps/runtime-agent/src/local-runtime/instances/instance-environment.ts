import { join } from 'node:path';
import { PRODUCTION } from '../../infrastructure/builders/production.js';
import type { SandboxFolders } from './confinement.js';
import { INSTANCE_MARKER } from './process-markers.js';

/** Holds the only folders that an instance can write to, apart from its disk. */
export const areaFolder = (instanceFolder: string): string => join(instanceFolder, 'area');
export const temporaryFolder = (instanceFolder: string): string => join(areaFolder(instanceFolder), 'tmp');
export const homeFolder = (instanceFolder: string): string => join(areaFolder(instanceFolder), 'home');
/** Holds what an instance changes in its application folder. */
export const layerFolder = (instanceFolder: string): string => join(areaFolder(instanceFolder), 'app');
/** The image of the area, if the kernel limits it. */
export const areaImage = (instanceFolder: string): string => join(instanceFolder, 'area.img');

/**
 * The initial environment of an instance, before the user's variables. Contains nothing of Postern's own environment.
 */
export const firstEnvironment = (id: string, path: string): Record<string, string> => ({
  PATH: path,
  LANG: 'C.UTF-8',
  ...PRODUCTION,
  [INSTANCE_MARKER]: id,
});

/** The variable with the URL of the API gateway, as the processes reach it. */
export const PLATFORM_URL = 'POSTERN_URL';

/** The PATH of images whose configuration does not set it. */
export const IMAGE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The initial environment in an image. The configuration of the image provides the other variables. */
export const imageEnvironment = (id: string): Record<string, string> => ({
  PATH: IMAGE_PATH,
  [INSTANCE_MARKER]: id,
});

interface ServiceSurroundings {
  readonly id: string;
  readonly port: number | undefined;
  readonly folders: SandboxFolders;
  readonly platformUrl: string;
}

/** The user's variables, with defaults for HOME, TMPDIR and POSTERN_URL. The user cannot override PORT, DISK_PATH and the marker. */
export const serviceEnvironment = (
  { id, port, folders, platformUrl }: ServiceSurroundings,
  variables: Readonly<Record<string, string>>,
): Record<string, string> => ({
  HOME: folders.home,
  TMPDIR: folders.temporary,
  [PLATFORM_URL]: platformUrl,
  ...variables,
  ...(port !== undefined && { PORT: String(port) }),
  ...(folders.disk !== undefined && { DISK_PATH: folders.disk }),
  [INSTANCE_MARKER]: id,
});
