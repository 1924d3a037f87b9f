import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { acceptedCoding, ContentCodings } from './content-codings.js';
import { type HeaderRules, headersFor, parseHeaders } from './header-rules.js';
import { parseRedirects, type RedirectRule, redirectFor } from './redirects.js';
import type { Complain } from './rule-lines.js';
import { isCompressible, isFingerprinted, type SiteFile, SiteFiles, typeOf } from './site-files.js';

const MOST_COMPLAINTS = 20;

type Headers = Map<string, string | number>;

/** Answers requests with the files of a folder, by the rules of its files `_redirects` and `_headers`. */
export class StaticSite {
  readonly #codings = new ContentCodings();
  readonly #forced: readonly RedirectRule[];
  readonly #others: readonly RedirectRule[];

  private constructor(
    private readonly files: SiteFiles,
    redirects: readonly RedirectRule[],
    private readonly headers: HeaderRules,
  ) {
    this.#forced = redirects.filter(({ isForced }) => isForced);
    this.#others = redirects.filter(({ isForced }) => !isForced);
  }

  static async open(folder: string, log: Complain): Promise<StaticSite> {
    const files = await SiteFiles.of(folder);
    let complaints = 0;
    const complain = (line: string) => {
      complaints += 1;
      if (complaints <= MOST_COMPLAINTS) log(line);
    };
    const redirects = parseRedirects(await files.rules('_redirects'), complain);
    const headers = parseHeaders(await files.rules('_headers'), complain);
    if (complaints > MOST_COMPLAINTS) log(`${complaints - MOST_COMPLAINTS} more lines are ignored`);
    return new StaticSite(files, redirects, headers);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const { path, query } = partsOf(request.url ?? '/');
    if (await this.#follow(this.#forced, path, query, request, response)) return;
    const found = await this.files.find(decoded(path));
    if (found?.kind === 'file') return this.#send(200, found.file, path, request, response);
    if (found?.kind === 'folder') {
      response.writeHead(301, { location: `${path}/${query}` }).end();
      return;
    }
    if (await this.#follow(this.#others, path, query, request, response)) return;
    return this.#notFound(path, request, response);
  }

  async #follow(
    rules: readonly RedirectRule[],
    path: string,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const redirect = redirectFor(rules, path, query);
    if (!redirect) return false;
    const { to, status } = redirect;
    if (status !== 200 && status !== 404) {
      response.writeHead(status, { location: to }).end();
      return true;
    }
    const target = decoded(partsOf(to).path);
    const found = (await this.files.find(target)) ?? (await this.files.find(`${target}/`));
    if (found?.kind === 'file') await this.#send(status, found.file, path, request, response);
    else await this.#notFound(path, request, response);
    return true;
  }

  async #notFound(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const page = await this.files.find('/404.html');
    if (page?.kind === 'file') return this.#send(404, page.file, path, request, response);
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n');
  }

  async #send(status: number, file: SiteFile, path: string, request: IncomingMessage, response: ServerResponse) {
    const etag = `W/"${file.size.toString(36)}-${file.modified.getTime().toString(36)}"`;
    const headers: Headers = new Map<string, string | number>([
      ['content-type', typeOf(file.name)],
      ['cache-control', isFingerprinted(file) ? 'public, max-age=31536000, immutable' : 'no-cache'],
      ['last-modified', file.modified.toUTCString()],
      ['etag', etag],
    ]);
    for (const [name, value] of headersFor(this.headers, path))
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    const isPlain = !isCompressible(typeOf(file.name));
    if (!isPlain) headers.set('vary', [headers.get('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
    if (status === 200 && isUnchanged(request, etag, file.modified)) {
      headers.delete('content-type');
      response.writeHead(304, Object.fromEntries(headers)).end();
      return;
    }
    const range = status === 200 ? rangeOf(request, file) : undefined;
    if (range) return sendRange(range, file, headers, request, response);
    const coding = isPlain ? undefined : acceptedCoding(request.headers['accept-encoding']);
    const encoded = coding && (await this.#codings.encode(file, coding));
    if (encoded) headers.set('content-encoding', coding);
    else headers.set('accept-ranges', 'bytes');
    const length = encoded === undefined ? file.size : encoded instanceof Readable ? undefined : encoded.length;
    if (length !== undefined) headers.set('content-length', length);
    response.writeHead(status, Object.fromEntries(headers));
    if (request.method === 'HEAD') {
      if (encoded instanceof Readable) encoded.destroy();
      response.end();
    } else if (encoded && !(encoded instanceof Readable)) response.end(encoded);
    else await pipeline(encoded ?? createReadStream(file.path), response);
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** One range of bytes; several ranges, and a range of another version, get the whole file (RFC 9110 §14.2). */
const rangeOf = ({ headers }: IncomingMessage, { size, modified }: SiteFile): Range | 'outside' | undefined => {
  const wanted = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '');
  const condition = headers['if-range'];
  if (!wanted || (condition !== undefined && condition !== modified.toUTCString())) return undefined;
  const [, from = '', to = ''] = wanted;
  if (from === '' && to === '') return undefined;
  if (from === '')
    return to === '0' || size === 0 ? 'outside' : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const [start, end] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 'outside' : { start, end };
};

const sendRange = async (
  range: Range | 'outside',
  { path, size }: SiteFile,
  headers: Headers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (range === 'outside') {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return;
  }
  const { start, end } = range;
  headers.set('content-range', `bytes ${start}-${end}/${size}`).set('content-length', end - start + 1);
  response.writeHead(206, Object.fromEntries(headers.set('accept-ranges', 'bytes')));
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(path, { start, end }), response);
};

const isUnchanged = ({ headers }: IncomingMessage, etag: string, modified: Date): boolean => {
  const known = headers['if-none-match'];
  if (known !== undefined) return known === '*' || known.split(',').some(each => opaque(each) === opaque(etag));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(modified.getTime() / 1_000) * 1_000 <= since;
};

const opaque = (etag: string): string => etag.trim().replace(/^W\//, '');

/** Slashes at the beginning are joined: in a redirect, two would lead to another host. */
const partsOf = (url: string): { readonly path: string; readonly query: string } => {
  const [whole = ''] = url.split('#');
  const mark = whole.indexOf('?');
  const path = mark === -1 ? whole : whole.slice(0, mark);
  return { path: path.replace(/^[/\\]*/, '/'), query: mark === -1 ? '' : whole.slice(mark) };
};

/** A path that is not valid matches no file. */
const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return '\0';
  }
};
