import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Takes a folder of this machine as an image, which is no part of the API. */
const PUSH = '/stand-in/push?';

/** A container registry whose images are folders: what it holds, under which tag, and the part of its API that deletes. */
export class RegistryStandIn {
  readonly #tags = new Map<string, string>();

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
  ) {}

  static async start(folder: string): Promise<RegistryStandIn> {
    await mkdir(folder, { recursive: true });
    const server = createServer();
    const registry = new RegistryStandIn(folder, server);
    server.on('request', ({ method, url = '' }, response) => {
      const [, reference = ''] = /^\/v2\/web-services\/manifests\/(.+)$/.exec(url) ?? [];
      if (url.startsWith('/v2/web-services/tags/list'))
        response.end(JSON.stringify({ name: 'web-services', tags: [...registry.#tags.keys()] }));
      else if (method === 'POST' && url.startsWith(PUSH)) {
        const { searchParams } = new URL(url, 'http://registry');
        void registry
          .#push(searchParams.get('tag') ?? '', searchParams.get('folder') ?? '')
          .then(digest => response.end(digest));
      } else if (method === 'HEAD' && registry.#tags.has(reference))
        response.writeHead(200, { 'docker-content-digest': registry.#tags.get(reference) ?? '' }).end();
      else if (method === 'DELETE' && reference !== '')
        void registry.#delete(reference).then(() => response.writeHead(202).end());
      else response.writeHead(404).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get repository(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}/web-services`;
  }

  /** The folder of an image; undefined where it is gone. */
  async find(reference: string): Promise<string | undefined> {
    const digest = reference.split('@')[1] ?? '';
    const folder = join(this.folder, digest.replace(':', '-'));
    return (await stat(folder).catch(() => undefined)) ? folder : undefined;
  }

  /** @returns the digest of its content. */
  async #push(tag: string, folder: string): Promise<string> {
    const hash = createHash('sha256');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (place(one) < place(other) ? -1 : 1)))
      if (entry.isFile()) hash.update(place(entry).slice(folder.length)).update(await readFile(place(entry)));
    const digest = `sha256:${hash.digest('hex')}`;
    const image = join(this.folder, digest.replace(':', '-'));
    await cp(folder, `${image}.${tag}`, { recursive: true });
    await rename(`${image}.${tag}`, image).catch(() => rm(`${image}.${tag}`, { recursive: true, force: true }));
    this.#tags.set(tag, digest);
    return digest;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  async #delete(digest: string): Promise<void> {
    await rm(join(this.folder, digest.replace(':', '-')), { recursive: true, force: true });
    for (const [tag, of] of this.#tags) if (of === digest) this.#tags.delete(tag);
  }
}

const place = ({ parentPath, name }: { readonly parentPath: string; readonly name: string }) => join(parentPath, name);
