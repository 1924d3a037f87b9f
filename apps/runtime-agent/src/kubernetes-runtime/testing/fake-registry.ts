import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);
const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
}

/** One repository of a container registry: uploads, manifests, tags and deletion. It unpacks its images into folders. */
export class FakeRegistry {
  readonly #tags = new Map<string, string>();
  /** If set, requests have to authenticate with them. */
  credentials: { readonly username: string; readonly password: string } | undefined;

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
  ) {}

  static async start(folder: string): Promise<FakeRegistry> {
    await mkdir(folder, { recursive: true });
    const server = createServer();
    const registry = new FakeRegistry(folder, server);
    server.on('request', (request, response) => {
      registry.#answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get repository(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}/web-services`;
  }

  get tags(): readonly string[] {
    return [...this.#tags.keys()];
  }

  /** The folder of an image; undefined if it does not exist. */
  async find(reference: string): Promise<string | undefined> {
    const folder = this.#file(reference.split('@')[1] ?? '');
    return (await stat(folder).catch(() => undefined)) ? folder : undefined;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    const content = await buffer(request);
    const { pathname, searchParams } = new URL(url, 'http://registry');
    const [, kind = '', name = ''] = /^\/v2\/web-services\/(tags|manifests|blobs)\/(.+)$/.exec(pathname) ?? [];
    const { username, password } = this.credentials ?? {};
    if (this.credentials && headers.authorization !== `Basic ${btoa(`${username}:${password}`)}`)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="registry"' }).end('{"errors":[]}');
    else if (kind === 'tags') response.end(JSON.stringify({ name: 'web-services', tags: this.tags }));
    else if (kind === 'blobs') await this.#answerBlob(method, name, searchParams.get('digest'), content, response);
    else if (kind === 'manifests' && method === 'HEAD' && this.#tags.has(name))
      response.writeHead(200, { 'docker-content-digest': this.#tags.get(name) ?? '' }).end();
    else if (kind === 'manifests' && method === 'PUT') await this.#putManifest(name, content, response);
    else if (kind === 'manifests' && method === 'DELETE') {
      await this.#delete(name);
      response.writeHead(202).end();
    } else response.writeHead(404).end();
  }

  async #answerBlob(
    method: string | undefined,
    name: string,
    digest: string | null,
    content: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    if (method === 'POST' && name === 'uploads/')
      response.writeHead(202, { location: `/v2/web-services/blobs/uploads/${randomUUID()}?state=begun` }).end();
    else if (method === 'PUT' && digest !== null) {
      if (digest === digestOf(content)) await this.#putBlob(digest, content);
      response.writeHead(digest === digestOf(content) ? 201 : 400).end();
    } else {
      const found = method === 'HEAD' && (await stat(`${this.#file(name)}.blob`).catch(() => undefined));
      response.writeHead(found ? 200 : 404).end();
    }
  }

  /** Whole at once: a build may push the blob that another one unpacks. */
  async #putBlob(digest: string, content: Buffer): Promise<void> {
    const unfinished = `${this.#file(digest)}.${randomUUID()}`;
    await writeFile(unfinished, content);
    await rename(unfinished, `${this.#file(digest)}.blob`);
  }

  async #putManifest(tag: string, content: Buffer, response: ServerResponse): Promise<void> {
    const digest = digestOf(content);
    const { config, layers } = JSON.parse(content.toString('utf8')) as Manifest;
    const image = this.#file(digest);
    const unfinished = `${image}.${randomUUID()}`;
    await mkdir(unfinished);
    for (const layer of layers) await run('tar', ['-xzf', `${this.#file(layer.digest)}.blob`, '-C', unfinished]);
    const described = JSON.parse(await readFile(`${this.#file(config.digest)}.blob`, 'utf8')) as { config: object };
    await writeFile(join(unfinished, '.image.json'), JSON.stringify(described.config));
    await rename(unfinished, image).catch(() => rm(unfinished, { recursive: true, force: true }));
    this.#tags.set(tag, digest);
    response.writeHead(201, { 'docker-content-digest': digest }).end();
  }

  #file(digest: string): string {
    return join(this.folder, digest.replace(':', '-'));
  }

  async #delete(digest: string): Promise<void> {
    await rm(this.#file(digest), { recursive: true, force: true });
    for (const [tag, of] of this.#tags) if (of === digest) this.#tags.delete(tag);
  }
}
