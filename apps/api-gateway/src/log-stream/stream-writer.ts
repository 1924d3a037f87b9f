import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';

/** Small, so that only one part of the log is buffered for a slow reader. */
const BUFFER_BYTES = 16 * 1024;

/** Writes the parts of a stream one by one, each once the reader has received the previous ones. */
export class StreamWriter {
  readonly #body = new PassThrough({ highWaterMark: BUFFER_BYTES });

  /** @param disconnected aborted when the connection ends. */
  constructor(
    private readonly disconnected: AbortSignal,
    private readonly stalledMs: number,
  ) {
    // The reader of the body reports its errors; without a listener they would end the process.
    this.#body.on('error', () => undefined);
  }

  get body(): Readable {
    return this.#body;
  }

  /** @returns whether the reader is ready for the next part; false if it read nothing for too long. */
  async write(part: string): Promise<boolean> {
    if (this.disconnected.aborted || this.#body.destroyed || this.#body.write(part)) return !this.disconnected.aborted;
    const signal = AbortSignal.any([this.disconnected, AbortSignal.timeout(this.stalledMs)]);
    return once(this.#body, 'drain', { signal }).then(
      () => true,
      () => false,
    );
  }

  /** Ends the stream after the pending parts. */
  end(last = ''): void {
    this.#body.end(last);
  }
}
