import { SECRET_FILES_FOLDER } from '@postern/contracts';
import { again, type Mount, readOnly, writable } from './sandbox-mounts.js';

/** Mount point of the root file system of an image before it becomes the root directory. */
export const IMAGE = '/image';

/** Paths of the folders inside an image. */
export const IN_IMAGE = { app: '/', home: '/tmp', temporary: '/tmp', disk: '/data' };

const LIVE = ['/etc/resolv.conf', '/etc/hosts'];
const CGROUPS = '/sys/fs/cgroup';

/** Mount points of a sandbox that the root file system of an image must have. */
export const IMAGE_MOUNT_POINTS = {
  folders: [
    '/proc',
    '/dev',
    '/tmp',
    '/data',
    SECRET_FILES_FOLDER,
    CGROUPS,
    ...['memory', 'pids', 'cpu'].map(name => `${CGROUPS}/${name}`),
  ],
  files: LIVE,
};

/**
 * What is mounted into an image.
 * @param root path of the root directory of the sandbox during its setup.
 */
export const imageMounts = (
  root: string,
  folders: { readonly temporary: string; readonly disk?: string; readonly secrets?: string },
  groups: ReadonlyMap<string, string>,
): readonly Mount[] => {
  const inside = (path: string) => `${IMAGE}${path}`;
  return [
    again(`${root}/proc`, inside('/proc')),
    again(`${root}/dev`, inside('/dev')),
    ...LIVE.map(path => again(`${root}${path}`, inside(path))),
    ...[...groups].map(([name, path]) => readOnly(path, inside(`${CGROUPS}${name && `/${name}`}`))),
    writable(folders.temporary, inside(IN_IMAGE.temporary)),
    ...(folders.disk === undefined ? [] : [writable(folders.disk, inside(IN_IMAGE.disk))]),
    ...(folders.secrets === undefined ? [] : [readOnly(folders.secrets, inside(SECRET_FILES_FOLDER))]),
  ];
};
