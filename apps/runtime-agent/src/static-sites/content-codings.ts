import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { SiteFile } from './site-files.js';

export type Coding = 'br' | 'gzip';

const LARGEST_KEPT_FILE = 1_024 * 1_024;
const MOST_KEPT_BYTES = 16 * 1_024 * 1_024;

const KEPT = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }, gzip: { level: 8 } };
const STREAMED = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, gzip: { level: 4 } };

/** The coding that the client accepts, by RFC 9110 §12.5.3; Brotli before gzip. */
export const acceptedCoding = (header: string | undefined): Coding | undefined => {
  const accepted = new Map<string, boolean>();
  for (const part of (header ?? '').slice(0, 1_000).split(',')) {
    const [name = '', ...parameters] = part.split(';').map(each => each.trim().toLowerCase());
    accepted.set(name, !parameters.some(each => /^q=0(\.0*)?$/.test(each)));
  }
  return (['br', 'gzip'] as const).find(coding => accepted.get(coding) ?? accepted.get('*') ?? false);
};

/** Compresses a file at its first use, and keeps small results in memory; larger files are compressed for each response. */
export class ContentCodings {
  readonly #kept = new Map<string, Promise<Buffer>>();
  #bytes = 0;

  /** @returns undefined if compression does not make the file smaller. */
  async encode(file: SiteFile, coding: Coding): Promise<Buffer | Readable | undefined> {
    if (file.size > LARGEST_KEPT_FILE) return streamed(file, coding);
    const body = await this.#keptOf(file, coding);
    return body.length < file.size ? body : undefined;
  }

  async #keptOf(file: SiteFile, coding: Coding): Promise<Buffer> {
    const key = `${coding} ${file.path} ${file.size} ${file.modified.getTime()}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const making = compressed(file, coding);
    this.#kept.set(key, making);
    try {
      this.#bytes += (await making).length;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
    await this.#drop(key);
    return making;
  }

  /** Drops the oldest results above the limit. */
  async #drop(newest: string): Promise<void> {
    for (const [key, body] of this.#kept) {
      if (this.#bytes <= MOST_KEPT_BYTES || key === newest) return;
      this.#kept.delete(key);
      this.#bytes -= (await body.catch(() => Buffer.alloc(0))).length;
    }
  }
}

const compressed = async ({ path }: SiteFile, coding: Coding): Promise<Buffer> => {
  const content = await readFile(path);
  return coding === 'br' ? promisify(brotliCompress)(content, KEPT.br) : promisify(gzip)(content, KEPT.gzip);
};

const streamed = ({ path }: SiteFile, coding: Coding): Readable => {
  const source = createReadStream(path);
  const encoder = coding === 'br' ? createBrotliCompress(STREAMED.br) : createGzip(STREAMED.gzip);
  source.on('error', error => encoder.destroy(error));
  encoder.on('close', () => source.destroy());
  return source.pipe(encoder);
};
