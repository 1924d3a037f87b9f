import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SECRET_FILES_FOLDER } from '@postern/contracts';
import { type AnyObject, podSpecOf } from './any-object.js';
import { secretOf } from './container-environment.js';
import type { NodeApi } from './fake-node.js';

export interface ImageStart {
  readonly command: readonly string[];
  readonly workingDir?: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The volumes and the image of a pod, as folders of this machine. */
export class PodVolumes {
  /** Paths of containers, the longest first, and their paths on this machine. */
  #mounts: (readonly [string, string])[] = [];
  /** The default command and environment of the image. */
  image: ImageStart = { command: [], environment: {} };

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
      for (const { key, path } of items) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), data[key] ?? '');
      }
    }
    const mounts = [...initContainers, ...containers].flatMap(({ volumeMounts = [] }) => volumeMounts);
    this.#mounts = [
      ...new Map(mounts.map(({ name, mountPath }) => [mountPath, join(this.folder, 'volumes', name)])),
      ['/dev/termination-log', join(this.folder, 'termination-log')],
      ['/tmp/postern', join(this.folder, 'tmp')],
    ];
  }

  /** Makes the folders of an image available to containers, and uses its default command. */
  async useImage(folder: string): Promise<void> {
    const { entrypoint, command, workingDir, environment } = JSON.parse(
      await readFile(join(folder, '.image.json'), 'utf8'),
    );
    this.image = { command: [...entrypoint, ...command], workingDir: join(folder, workingDir), environment };
    this.#mounts = [
      ...this.#mounts.filter(([path]) => path !== '/app' && path !== '/postern'),
      ['/app', join(folder, 'app')],
      ['/postern', join(folder, 'postern')],
    ];
  }

  /** The termination message of the container; deletes it, so that the next container starts without one. */
  async takeMessage(): Promise<string> {
    const file = join(this.folder, 'termination-log');
    const message = await readFile(file, 'utf8').catch(() => '');
    await rm(file, { force: true });
    return message;
  }

  /** The text with a container path translated to the path on this machine; also in `--name=value`. */
  located(text: string): string {
    return text.startsWith('--')
      ? text.replaceAll(/(?<==)\/[^,=]*/g, path => this.#located(path))
      : this.#located(text);
  }

  #located(text: string): string {
    return this.#mounts.reduce(
      (path, [from, to]) =>
        path === from || path.startsWith(`${from}/`)
          ? to + path.slice(from.length)
          : // Scripts name no other folder of a mount.
            from === SECRET_FILES_FOLDER
            ? path.replaceAll(`${from}/`, `${to}/`)
            : path,
      text,
    );
  }
}
