/** A repository of a container registry (OCI Distribution), for publishing releases and for reading them back. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX = 'application/vnd.oci.image.index.v1+json';
const TIMEOUT_MS = 10 * 60_000;

export const digestOf = bytes => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The credentials of `docker login` for a registry, as basic authentication. */
const loginOf = host => {
  const file = join(process.env.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json');
  if (!existsSync(file)) return undefined;
  const { auths = {} } = JSON.parse(readFileSync(file, 'utf8'));
  const found = Object.entries(auths).find(([name]) => name.replace(/^https?:\/\//, '').split('/')[0] === host);
  return found?.[1].auth && `Basic ${found[1].auth}`;
};

const isLoopback = host => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

export class Repository {
  #authorization;

  /** @param {string} name such as `registry.example.com/postern/email-send`. A registry on this machine is reached over HTTP. */
  constructor(name) {
    const [host = '', ...path] = name.split('/');
    if (!/^[\w.[\]:-]+$/.test(host) || path.length === 0 || !/^[a-z0-9._/-]+$/.test(path.join('/')))
      throw new Error(`${name} is not a repository, such as registry.example.com/postern/email-send`);
    this.name = name;
    this.host = host;
    this.base = `${isLoopback(host) ? 'http' : 'https'}://${host}/v2/${path.join('/')}/`;
    this.scope = `repository:${path.join('/')}:pull,push`;
  }

  /** Stores bytes, unless the repository has them. @returns their descriptor */
  async putBlob(bytes, mediaType, more = {}) {
    const digest = digestOf(bytes);
    const known = await this.#send('HEAD', `blobs/${digest}`);
    if (known.status !== 200) {
      const begun = await this.#demand(202, 'POST', 'blobs/uploads/');
      const url = new URL(begun.headers.get('location') ?? '', this.base);
      url.searchParams.set('digest', digest);
      await this.#demand(201, 'PUT', url, bytes, 'application/octet-stream');
    }
    return { mediaType, digest, size: bytes.length, ...more };
  }

  /** Stores a manifest under its digest, or under a tag. @returns its descriptor */
  async putManifest(manifest, tag) {
    const bytes = Buffer.isBuffer(manifest) ? manifest : Buffer.from(JSON.stringify(manifest));
    const { mediaType } = JSON.parse(bytes.toString('utf8'));
    const digest = digestOf(bytes);
    await this.#demand(201, 'PUT', `manifests/${tag ?? digest}`, bytes, mediaType);
    return { mediaType, digest, size: bytes.length };
  }

  /** The manifest of a digest or tag. @throws if there is none, or if it is another than that of the digest */
  async manifest(reference) {
    const response = await this.#demand(200, 'GET', `manifests/${reference}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const digest = digestOf(bytes);
    if (reference.startsWith('sha256:') && reference !== digest)
      throw new Error(`${this.name} has ${digest} in place of ${reference}`);
    return { digest, size: bytes.length, ...JSON.parse(bytes.toString('utf8')) };
  }

  /** @throws if the content is another than that of the digest */
  async blob(digest) {
    const bytes = Buffer.from(await (await this.#demand(200, 'GET', `blobs/${digest}`)).arrayBuffer());
    if (digestOf(bytes) !== digest) throw new Error(`${this.name} has other content in place of ${digest}`);
    return bytes;
  }

  async #demand(status, method, path, body, type) {
    const response = await this.#send(method, path, body, type);
    if (response.status === status) return response;
    const text = (await response.text()).replaceAll(/\s+/g, ' ').slice(0, 300);
    throw new Error(`${this.host} answered ${response.status} to ${method} ${path} of ${this.name}: ${text}`);
  }

  async #send(method, path, body, type) {
    const url = new URL(path, this.base);
    const send = () =>
      fetch(url, {
        method,
        body,
        headers: {
          accept: `${MANIFEST}, ${INDEX}, */*`,
          ...(type ? { 'content-type': type } : {}),
          // An upload may be on another server, which gets no credentials.
          ...(this.#authorization && url.host === this.host ? { authorization: this.#authorization } : {}),
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    const response = await send();
    if (response.status !== 401 || url.host !== this.host) return response;
    this.#authorization = await this.#authorize(response.headers.get('www-authenticate') ?? '');
    return this.#authorization ? send() : response;
  }

  /** Follows the challenge: basic authentication for every request, or a token in exchange for the login. */
  async #authorize(challenge) {
    const login = loginOf(this.host);
    const [, realm] = /^bearer .*realm="([^"]*)"/i.exec(challenge) ?? [];
    if (!realm) return login;
    const url = new URL(realm);
    const [, service] = /service="([^"]*)"/.exec(challenge) ?? [];
    if (service) url.searchParams.set('service', service);
    url.searchParams.set('scope', this.scope);
    const response = await fetch(url, { headers: login ? { authorization: login } : {} });
    if (!response.ok) return undefined;
    const { token, access_token } = /** @type {Record<string, string>} */ (await response.json());
    return `Bearer ${token ?? access_token}`;
  }
}
