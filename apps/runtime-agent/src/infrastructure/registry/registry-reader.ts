import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type ImageReference, imageReferenceText } from '@postern/contracts';
import { literalAddress, NoPublicAddress, type OutboundGuard } from '@postern/outbound';
import { SourceUnavailable } from '@postern/runtime';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { MANIFEST_TYPES } from './image-manifest.js';
import { addressOf, basicOf, type Credentials, tokenUrlOf } from './registry-access.js';

const CONNECT_MS = 10_000;
/** Until the headers, and between two parts of a body. */
const IDLE_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Of manifests, configurations and tokens. */
const MAX_DOCUMENT_BYTES = 4 * 2 ** 20;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

const tokenReply = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** A part of an image that its manifest names. */
export interface BlobDescriptor {
  readonly digest: string;
  readonly size: number;
}

/**
 * Reads one image of a container registry (OCI Distribution 1.1). The registry and everything that it names is chosen by a
 * tenant: each connection goes through the guard. Like Docker, it speaks HTTP only with a registry on this machine.
 */
export class RegistryReader {
  readonly #agent: Agent;
  readonly #base: string;
  readonly #path: string;
  readonly #name: string;
  #authorization: string | undefined;

  constructor(
    private readonly guard: OutboundGuard,
    private readonly image: ImageReference,
    private readonly credentials: Credentials | undefined,
    private readonly signal: AbortSignal,
  ) {
    this.#agent = new Agent({
      connect: { timeout: CONNECT_MS, lookup: guard.lookup },
      headersTimeout: IDLE_MS,
      bodyTimeout: IDLE_MS,
    });
    const { registry, repository } = image;
    const { base, path } = addressOf(`${registry}/${repository}`, LOOPBACK.test(registry));
    this.#base = new URL(base).origin;
    this.#path = path;
    this.#name = imageReferenceText(image);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** @param reference a tag or digest. @throws SourceUnavailable if the registry does not return this manifest. */
  async manifest(reference: string): Promise<{ readonly digest: string; readonly content: Buffer }> {
    const body = await this.#get(`manifests/${reference}`, MANIFEST_TYPES.join(', '));
    const content = await this.#document(body);
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (reference.includes(':') && reference !== digest) throw this.#otherContent(reference);
    return { digest, content };
  }

  /** A small blob. @throws SourceUnavailable */
  async blob({ digest, size }: BlobDescriptor): Promise<Buffer> {
    const content = await this.#document(await this.#get(`blobs/${digest}`));
    const found = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (content.length !== size || found !== digest) throw this.#otherContent(digest);
    return content;
  }

  /** Writes a blob to a new file. @throws SourceUnavailable */
  async download({ digest, size }: BlobDescriptor, path: string): Promise<void> {
    const body = await this.#get(`blobs/${digest}`);
    const hash = createHash('sha256');
    const file = await open(path, 'wx', 0o600);
    try {
      let bytes = 0;
      for await (const chunk of this.#chunks(body)) {
        bytes += chunk.length;
        if (bytes > size) break;
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      if (bytes !== size || `sha256:${hash.digest('hex')}` !== digest) throw this.#otherContent(digest);
    } finally {
      await file.close();
    }
  }

  /** Authenticates if the registry asks for it. Tokens expire, also in the middle of an image. */
  async #get(path: string, accept = '*/*'): Promise<Readable> {
    const url = new URL(`/v2/${this.#path}/${path}`, this.#base);
    let response = await this.#follow(url, accept);
    if (response.statusCode === 401) {
      await discard(response);
      this.#authorization = await this.#authorize(String(response.headers['www-authenticate'] ?? ''));
      if (this.#authorization === undefined) throw this.#refused(401);
      response = await this.#follow(url, accept);
    }
    if (response.statusCode === 200) return response.body;
    await discard(response);
    throw this.#refused(response.statusCode);
  }

  /** Blobs are often on another server, which gets no credentials. */
  async #follow(first: URL, accept: string): Promise<Dispatcher.ResponseData> {
    let url = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const authorization = url.origin === this.#base ? this.#authorization : undefined;
      const response = await this.#send(url, { accept, ...(authorization !== undefined && { authorization }) });
      const { location } = response.headers;
      if (!REDIRECTS.has(response.statusCode) || typeof location !== 'string') return response;
      await discard(response);
      if (!URL.canParse(location, url.href)) break;
      url = new URL(location, url);
    }
    throw new SourceUnavailable(`the registry ${this.image.registry} redirects in a way that cannot be followed`);
  }

  /** @throws SourceUnavailable with one message for all hosts that cannot be reached, so that it tells nothing about a private one. */
  async #send(url: URL, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> {
    try {
      const address = literalAddress(url);
      const isAllowed = address === undefined || this.guard.allows(address);
      const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.host));
      if (!isAllowed || !isSecure) throw new NoPublicAddress(url.host);
      return await request(url, { headers, signal: this.signal, dispatcher: this.#agent });
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  /** Follows the challenge: basic authentication for every request, or a token, which public images need too. */
  async #authorize(challenge: string): Promise<string | undefined> {
    const basic = this.credentials && basicOf(this.credentials);
    const url = tokenUrlIn(challenge, `repository:${this.#path}:pull`);
    if (!url) return basic;
    const response = await this.#send(url, basic === undefined ? {} : { authorization: basic });
    if (response.statusCode !== 200) {
      await discard(response);
      throw this.#refused([400, 403].includes(response.statusCode) ? 401 : response.statusCode);
    }
    const { success, data } = tokenReply.safeParse(parsed(await this.#document(response.body)));
    const token = success ? (data.token ?? data.access_token) : undefined;
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  async #document(body: Readable): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.#chunks(body)) {
      bytes += chunk.length;
      if (bytes > MAX_DOCUMENT_BYTES)
        throw new SourceUnavailable(`the registry ${this.image.registry} sent too much data`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async *#chunks(body: Readable): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) yield chunk as Buffer;
    } catch (error) {
      throw this.#unreachable(error);
    } finally {
      body.destroy();
    }
  }

  #refused(status: number): SourceUnavailable {
    const { registry, repository } = this.image;
    const used = this.credentials?.username;
    if (status === 401 || status === 403)
      return new SourceUnavailable(
        used === undefined
          ? `the registry ${registry} does not allow to pull ${repository} (${status}): check the name; if the image is private, store registry credentials for the web service`
          : `the registry ${registry} does not allow ${used} to pull ${repository} (${status}): check the name of the image, and store valid registry credentials`,
      );
    if (status === 404)
      return new SourceUnavailable(`there is no image ${this.#name}: check its name and its tag or digest`);
    if (status === 429)
      return new SourceUnavailable(
        `the registry ${registry} limits the number of pulls (429): try again later, or store registry credentials`,
      );
    return new SourceUnavailable(`the registry ${registry} answered ${status} when asked for ${this.#name}`);
  }

  #otherContent(digest: string): SourceUnavailable {
    return new SourceUnavailable(`the registry ${this.image.registry} sent other content than ${digest}`);
  }

  /** An aborted request, and what a caller has thrown, stay as they are. */
  #unreachable(error: unknown): unknown {
    if (this.signal.aborted) return this.signal.reason;
    if (error instanceof SourceUnavailable) return error;
    const { message, code } = error as NodeJS.ErrnoException;
    const why = this.guard.allowsPrivate ? ` (${code ?? message})` : '';
    return new SourceUnavailable(
      `the registry ${this.image.registry} could not be reached: check its name, and that it can be reached over the internet with HTTPS${why}`,
    );
  }
}

const tokenUrlIn = (challenge: string, scope: string): URL | undefined => {
  try {
    return tokenUrlOf(challenge, scope);
  } catch {
    return undefined;
  }
};

const discard = ({ body }: Dispatcher.ResponseData): Promise<void> => body.dump().catch(() => {});

const parsed = (content: Buffer): unknown => {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
};
