import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type AnyObject, podSpecOf } from './any-object.js';
import { secretOf } from './container-environment.js';
import type { NodeApi } from './node-stand-in.js';

/** The volumes of a pod and its image, as folders of this machine. */
export class PodVolumes {
  /** Paths of containers, the longest first, and what they are here. */
  #mounts: (readonly [string, string])[] = [];

  constructor(
    private readonly api: NodeApi,
    private readonly folder: string,
  ) {}

  async mount(pod: AnyObject): Promise<void> {
    const { volumes = [], containers, initContainers = [] } = podSpecOf(pod);
    for (const { name, secret, persistentVolumeClaim: claim } of volumes) {
      const folder = join(this.folder, 'volumes', name);
      if (claim) {
        const disk = join(this.folder, '..', 'disks', claim.claimName);
        await mkdir(disk, { recursive: true });
        await mkdir(dirname(folder), { recursive: true });
        await symlink(disk, folder);
        continue;
      }
      await mkdir(folder, { recursive: true });
      if (!secret) continue;
      const data = await secretOf(this.api, secret.secretName);
      const items = secret.items ?? Object.keys(data).map(key => ({ key, path: key }));
      for (const { key, path } of items) await writeFile(join(folder, path), data[key] ?? '');
    }
    const mounts = [...initContainers, ...containers].flatMap(({ volumeMounts = [] }) => volumeMounts);
    this.#mounts = [...new Map(mounts.map(({ name, mountPath }) => [mountPath, join(this.folder, 'volumes', name)]))];
  }

  /** Shows containers the folders of an image. */
  useImage(image: string): void {
    this.#mounts = [
      ...this.#mounts.filter(([path]) => path !== '/app' && path !== '/postern'),
      ['/app', join(image, 'app')],
      ['/postern', join(image, 'postern')],
    ];
  }

  /** The text with the path of a container replaced by the one that it has here. */
  located(text: string): string {
    return this.#mounts.reduce(
      (path, [from, to]) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path),
      text,
    );
  }
}
