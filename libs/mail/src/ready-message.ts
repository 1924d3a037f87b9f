import { Readable, type Writable } from 'node:stream';

const CHUNK = 64 * 1024;

/**
 * Ready-made bytes as the stream nodemailer wants, which knows how far the hand-over went: nodemailer pipes it only
 * once the relay has said 354, and the last chunk leaves only when the ones before it are on their way. So while
 * `endWasSent` is false, the relay cannot have seen the end of the data.
 */
export class ReadyMessage extends Readable {
  readonly #bytes: Buffer;
  #at = 0;
  wasStarted = false;

  constructor(bytes: Buffer) {
    super({ highWaterMark: CHUNK });
    this.#bytes = bytes;
  }

  get endWasSent(): boolean {
    return this.wasStarted && this.#at >= this.#bytes.length;
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    this.wasStarted = true;
    // The common case costs no stream machinery: one chunk, written at once.
    if (this.#bytes.length <= CHUNK) {
      this.#at = this.#bytes.length;
      (destination as unknown as Writable).end(this.#bytes);
      return destination;
    }
    return super.pipe(destination, options);
  }

  override _read(): void {
    const chunk = this.#bytes.subarray(this.#at, this.#at + CHUNK);
    this.#at += chunk.length;
    this.push(chunk.length === 0 ? null : chunk);
  }
}
