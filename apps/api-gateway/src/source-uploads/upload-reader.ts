import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import { MAX_UPLOAD_BYTES, UPLOAD_PART_BYTES } from '@postern/contracts';
import { badRequest, Problem } from '../infrastructure/http/errors/problem.js';
import type { StreamedBody } from '../infrastructure/http/validation/streamed-body.js';
import { SourceArchive } from './source-archive.js';

/** An archive that has arrived whole and can be unpacked. */
export interface ReceivedArchive {
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
  readonly sizeBytes: number;
}

/**
 * Reads an archive as it arrives: checks every entry, and passes on the compressed bytes in parts.
 * @throws 400 or 413 that says what is wrong, as soon as it is known.
 */
export const readArchive = async (
  body: StreamedBody,
  store: (part: number, content: Buffer) => Promise<void>,
): Promise<ReceivedArchive> => {
  const hash = createHash('sha256');
  const unpacking = new Unpacking();
  let sizeBytes = 0;
  let part = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const flush = async (all: boolean) => {
    while (waitingBytes >= UPLOAD_PART_BYTES || (all && waitingBytes > 0)) {
      const bytes = Buffer.concat(waiting);
      await store(part, bytes.subarray(0, UPLOAD_PART_BYTES));
      part += 1;
      waiting = [bytes.subarray(UPLOAD_PART_BYTES)];
      waitingBytes = waiting[0]!.length;
    }
  };
  try {
    for await (const chunk of body.chunks()) {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_UPLOAD_BYTES) throw tooLarge();
      hash.update(chunk);
      await unpacking.write(chunk);
      waiting.push(chunk);
      waitingBytes += chunk.length;
      await flush(false);
    }
    if (sizeBytes === 0) throw badRequest('The body is empty: send a gzipped tar archive.', 'invalid_archive');
    await unpacking.end();
    await flush(true);
  } finally {
    unpacking.destroy();
  }
  return { digest: hash.digest('hex'), sizeBytes };
};

const tooLarge = (): Problem =>
  new Problem(
    413,
    `The archive is larger than ${MAX_UPLOAD_BYTES / 2 ** 20} MiB. Leave out what the build makes or downloads.`,
  );

/** Unpacks the bytes with zlib and checks the archive in them. */
class Unpacking {
  readonly #gunzip = createGunzip();
  readonly #archive = new SourceArchive();
  readonly #done: Promise<void>;
  #isDone = false;

  constructor() {
    this.#done = this.#check();
    // The failure is thrown by `write` or `end`.
    this.#done
      .catch(() => undefined)
      .then(() => {
        this.#isDone = true;
      });
  }

  async write(chunk: Buffer): Promise<void> {
    // What follows the end of a gzip file is ignored, as gzip does.
    if (this.#isDone) return this.#done;
    if (!this.#gunzip.write(chunk)) await Promise.race([once(this.#gunzip, 'drain'), this.#done]);
  }

  async end(): Promise<void> {
    this.#gunzip.end();
    await this.#done;
    this.#archive.end();
  }

  destroy(): void {
    this.#gunzip.destroy();
  }

  async #check(): Promise<void> {
    try {
      for await (const chunk of this.#gunzip) this.#archive.write(chunk as Buffer);
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw badRequest(
        `The body is not a gzip file: ${(error as Error).message}. Make it with: tar -czf source.tar.gz -C <folder> .`,
        'invalid_archive',
      );
    }
  }
}
