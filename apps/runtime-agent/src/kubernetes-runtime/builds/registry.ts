import { fetch, type Response } from 'undici';
import { z } from 'zod';
import { addressOf, basicOf, type Credentials, tokenUrlOf } from '../../infrastructure/registry/registry-access.js';

const TIMEOUT_MS = 30_000;
const MANIFESTS = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

const tagsReply = z.object({ tags: z.array(z.string()).nullish() });
const tokenReply = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** One repository of a container registry (OCI Distribution 1.1), for deleting unused images. */
export class Registry {
  readonly #base: string;
  readonly #path: string;
  #authorization: string | undefined;

  /** @param repository such as `registry.example.com/postern/web-services`. */
  constructor(
    private readonly repository: string,
    insecure: boolean,
    private readonly credentials: () => Promise<Credentials | undefined>,
  ) {
    const { base, path } = addressOf(repository, insecure);
    this.#base = base;
    this.#path = path;
  }

  async tags(): Promise<readonly string[]> {
    const tags: string[] = [];
    let next: string | undefined = `/v2/${this.#path}/tags/list?n=500`;
    while (next) {
      const response: Response = await this.#request('GET', next);
      if (response.status === 404) return [];
      if (!response.ok) throw new Error(`the registry answered ${response.status} when asked for ${this.repository}`);
      tags.push(...(tagsReply.parse(await response.json()).tags ?? []));
      next = /<([^>]+)>;\s*rel="?next/.exec(response.headers.get('link') ?? '')?.[1];
    }
    return tags;
  }

  /** @returns undefined if the tag does not exist. */
  async digestOf(tag: string): Promise<string | undefined> {
    const response = await this.#request('HEAD', `/v2/${this.#path}/manifests/${tag}`);
    return response.ok ? (response.headers.get('docker-content-digest') ?? undefined) : undefined;
  }

  /** @returns false if the registry does not support deletion. */
  async delete(digest: string): Promise<boolean> {
    const { ok, status } = await this.#request('DELETE', `/v2/${this.#path}/manifests/${digest}`);
    return ok || status === 404;
  }

  async #request(method: string, path: string): Promise<Response> {
    const response = await this.#send(method, path);
    if (response.status !== 401) return response;
    this.#authorization = await this.#authorize(response.headers.get('www-authenticate') ?? '');
    return this.#authorization ? this.#send(method, path) : response;
  }

  #send(method: string, path: string): Promise<Response> {
    return fetch(new URL(path, this.#base), {
      method,
      headers: {
        accept: `${MANIFESTS}, application/json`,
        ...(this.#authorization && { authorization: this.#authorization }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  /** Follows the challenge: basic authentication for every request, or a token in exchange for the credentials. */
  async #authorize(challenge: string): Promise<string | undefined> {
    const credentials = await this.credentials();
    const basic = credentials && basicOf(credentials);
    const url = tokenUrlOf(challenge, `repository:${this.#path}:pull,push,delete`);
    if (!url) return basic;
    const headers = basic ? { authorization: basic } : {};
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return undefined;
    const { token, access_token: accessToken } = tokenReply.parse(await response.json());
    return `Bearer ${token ?? accessToken}`;
  }
}
