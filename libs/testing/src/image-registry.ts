import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

const run = promisify(execFile);

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const CONFIGURATION = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const TOKEN = 'a-token-of-the-registry';

const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'].find(path => existsSync(path));
const PROGRAMS = ['sh', 'cat', 'sleep', 'httpd', 'env', 'id', 'ls', 'mkdir', 'echo', 'grep'];

/** What this machine lacks to make images for tests; undefined if it lacks nothing. */
export const missingForTestImages = BUSYBOX ? undefined : 'this machine has no BusyBox: install busybox-static on it';

/** The architecture of this machine, as images name it. */
export const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

export interface TestImage {
  /** Contents by path, on top of BusyBox with links for some programs. */
  readonly files?: Readonly<Record<string, string>>;
  /** `Cmd`, `Env`, `ExposedPorts` and so on. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly architecture?: string;
}

interface Stored {
  readonly type: string;
  readonly content: Buffer;
}

/** A descriptor of OCI. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** A container registry on 127.0.0.1 (the part of OCI Distribution 1.1 that a pull needs), with images that tests make. */
export class ImageRegistry {
  /** If set, a pull needs a token, which the registry issues for these credentials. */
  access: { readonly username: string; readonly password: string } | undefined;
  /** Whether blobs are on another server, as at most registries; it is a path that refuses credentials here. */
  redirectsBlobs = true;
  /** The paths that were requested. */
  readonly requests: string[] = [];
  readonly #manifests = new Map<string, Stored>();
  readonly #blobs = new Map<string, Buffer>();
  readonly #server = createServer((request, response) => this.#answer(request, response));

  private constructor() {}

  static async start(): Promise<ImageRegistry> {
    const registry = new ImageRegistry();
    await new Promise<void>(resolve => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  /** Makes an image, and stores it under `name:tag`. @returns its digest */
  async push(reference: string, image: TestImage = {}): Promise<string> {
    const { digest } = await this.#pushImage(reference, image);
    return digest;
  }

  /** Stores an index of images for several platforms. @returns its digest */
  async pushIndex(reference: string, images: readonly TestImage[]): Promise<string> {
    const manifests = [];
    for (const image of images) {
      const found = await this.#pushImage(reference, image);
      manifests.push({ ...found, platform: { os: 'linux', architecture: image.architecture ?? ARCHITECTURE } });
    }
    return this.#store(reference, INDEX, { schemaVersion: 2, mediaType: INDEX, manifests }).digest;
  }

  /** Changes a blob, so that it no longer matches its digest. */
  damageBlobs(): void {
    for (const [digest, content] of this.#blobs)
      this.#blobs.set(digest, Buffer.concat([content.subarray(1), Buffer.from('x')]));
  }

  /** Stores any manifest under `name:tag`. */
  pushManifest(reference: string, type: string, manifest: unknown): void {
    this.#store(reference, type, manifest);
  }

  /** Deletes all images: what was pulled can no longer be pulled. */
  clear(): void {
    this.#manifests.clear();
    this.#blobs.clear();
  }

  async #pushImage(reference: string, { files = {}, config = {}, architecture = ARCHITECTURE }: TestImage) {
    const layer = await layerOf(files);
    const diff = digestOf(gunzipSync(layer));
    const configuration = jsonOf({ os: 'linux', architecture, config, rootfs: { type: 'layers', diff_ids: [diff] } });
    return this.#store(reference, MANIFEST, {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: this.#putBlob(CONFIGURATION, configuration),
      layers: [this.#putBlob(LAYER, layer)],
    });
  }

  #putBlob(mediaType: string, content: Buffer): Descriptor {
    const digest = digestOf(content);
    this.#blobs.set(digest, content);
    return { mediaType, digest, size: content.length };
  }

  #store(reference: string, type: string, manifest: unknown): Descriptor {
    const [name, tag] = reference.split(':');
    const content = jsonOf(manifest);
    const digest = digestOf(content);
    for (const key of [tag, digest]) this.#manifests.set(`${name}/manifests/${key}`, { type, content });
    return { mediaType: type, digest, size: content.length };
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    this.requests.push(url);
    const { pathname } = new URL(url, 'http://registry');
    const { authorization } = headers;
    if (pathname === '/token') this.#issueToken(authorization, response);
    else if (pathname.startsWith('/storage/'))
      // Storage services refuse a request with a foreign authorization.
      authorization === undefined ? this.#sendBlob(pathname, response) : response.writeHead(400).end();
    else if (this.access && authorization !== `Bearer ${TOKEN}`) {
      const challenge = `Bearer realm="http://${this.host.replace('127.0.0.1', 'localhost')}/token",service="test"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end('{"errors":[]}');
    } else if (pathname.includes('/blobs/')) {
      const moved = `http://${this.host.replace('127.0.0.1', 'localhost')}/storage${pathname}`;
      if (this.redirectsBlobs) response.writeHead(307, { location: moved }).end();
      else this.#sendBlob(pathname, response);
    } else {
      const found = this.#manifests.get(pathname.replace('/v2/', ''));
      if (found) response.writeHead(200, { 'content-type': found.type }).end(found.content);
      else response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    }
  }

  #issueToken(authorization: string | undefined, response: ServerResponse): void {
    const { username = '', password = '' } = this.access ?? {};
    const isValid = authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (isValid) response.end(JSON.stringify({ token: TOKEN }));
    else response.writeHead(401).end('{"errors":[]}');
  }

  #sendBlob(pathname: string, response: ServerResponse): void {
    const found = this.#blobs.get(pathname.split('/').at(-1) ?? '');
    if (found) response.writeHead(200, { 'content-length': found.length }).end(found);
    else response.writeHead(404).end();
  }
}

const layerOf = async (files: Readonly<Record<string, string>>): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-image-'));
  const root = join(folder, 'root');
  try {
    await mkdir(join(root, 'bin'), { recursive: true });
    await copyFile(BUSYBOX ?? '', join(root, 'bin/busybox'));
    await chmod(join(root, 'bin/busybox'), 0o755);
    for (const name of PROGRAMS) await symlink('busybox', join(root, 'bin', name));
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content, { mode: 0o755 });
    }
    const archive = join(folder, 'layer.tar.gz');
    await run('tar', ['--owner=0', '--group=0', '--numeric-owner', '-C', root, '-czf', archive, '.']);
    return await readFile(archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
