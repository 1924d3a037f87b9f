import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { addressOf, basicOf, type Credentials, tokenUrlOf } from '../../infrastructure/registry/registry-access.js';
import { type Blob, MANIFEST_TYPE, type OciArchive } from './oci-archive.js';

/** Idle timeout: a registry may take minutes to store a large layer. */
const TIMEOUT_MS = 5 * 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Content {
  readonly type: string;
  readonly size: number;
  readonly read: () => Readable | Buffer;
}

/** Pushes images into one repository of a registry (OCI Distribution 1.1). */
export class RegistryPush {
  readonly #base: string;
  readonly #path: string;
  #authorization: string | undefined;

  /** @param repository such as `registry.example.com/postern/web-services`. */
  constructor(
    repository: string,
    isInsecure: boolean,
    private readonly credentials: Credentials | undefined,
  ) {
    const { base, path } = addressOf(repository, isInsecure);
    // The same form as addresses in responses, without the default port.
    this.#base = new URL(base).origin;
    this.#path = path;
  }

  /** Skips blobs that the registry already has. */
  async push(image: OciArchive, tag: string): Promise<void> {
    for (const blob of image.blobs) await this.#pushBlob(image, blob);
    const url = new URL(`/v2/${this.#path}/manifests/${tag}`, this.#base);
    const { manifest } = image;
    const content = { type: MANIFEST_TYPE, size: manifest.length, read: () => manifest };
    demand(await this.#request('PUT', url, content), [201], `the manifest of ${tag}`);
  }

  async #pushBlob(image: OciArchive, blob: Blob): Promise<void> {
    const blobs = `/v2/${this.#path}/blobs`;
    const { status } = await this.#request('HEAD', new URL(`${blobs}/${blob.digest}`, this.#base));
    if (status === 200 || status === 307) return;
    const begun = await this.#request('POST', new URL(`${blobs}/uploads/`, this.#base));
    demand(begun, [202], 'an upload');
    const url = new URL(begun.headers.location ?? '', this.#base);
    url.searchParams.set('digest', blob.digest);
    const content = { type: 'application/octet-stream', size: blob.size, read: () => image.read(blob) };
    demand(await this.#request('PUT', url, content), [201], blob.digest);
  }

  async #request(method: string, url: URL, content?: Content): Promise<Answer> {
    const answer = await this.#send(method, url, content);
    if (answer.status !== 401 || url.origin !== this.#base) return answer;
    const authorization = await this.#authorize(answer.headers['www-authenticate'] ?? '');
    if (!authorization) return answer;
    this.#authorization = authorization;
    return this.#send(method, url, content);
  }

  /** An upload may be on another server, as its address shows; that server gets no credentials. */
  #send(method: string, url: URL, content?: Content): Promise<Answer> {
    const isHome = url.origin === this.#base;
    return send(method, url, isHome ? this.#authorization : undefined, content);
  }

  async #authorize(challenge: string): Promise<string | undefined> {
    const basic = this.credentials && basicOf(this.credentials);
    const url = tokenUrlOf(challenge, `repository:${this.#path}:pull,push`);
    if (!url) return basic;
    const { status, text } = await send('GET', url, basic);
    if (status !== 200) return undefined;
    const { token, access_token: accessToken } = JSON.parse(text) as { token?: string; access_token?: string };
    return `Bearer ${token ?? accessToken}`;
  }
}

const send = (method: string, url: URL, authorization?: string, content?: Content): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(content ? { 'content-type': content.type, 'content-length': content.size } : { 'content-length': 0 }),
    };
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { method, headers }, response => {
      textOf(response).then(text => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      }, reject);
    });
    request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    request.on('error', reject);
    const body = content?.read();
    if (body === undefined || Buffer.isBuffer(body)) request.end(body);
    else pipeline(body, request).catch(reject);
  });

const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of response) if (text.length < MAX_ANSWER_BYTES) text += String(chunk);
  return text;
};

const demand = ({ status, text }: Answer, expected: readonly number[], what: string): void => {
  if (expected.includes(status)) return;
  const reason = text.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  throw new Error(`the registry answered ${status} to ${what}${reason === '' ? '' : `: ${reason}`}`);
};
