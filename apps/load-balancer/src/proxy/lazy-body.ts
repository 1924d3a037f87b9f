import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * The body of a client's request, not read until a connected backend consumes it. Until then the request can be sent to
 * another backend, and the client's connection survives a backend failure.
 */
export class LazyBody extends Readable {
  #begun = false;

  constructor(private readonly request: IncomingMessage) {
    super();
  }

  get begun(): boolean {
    return this.#begun;
  }

  override _read(): void {
    if (!this.#begun) {
      this.#begun = true;
      this.request.on('data', this.#onData);
      this.request.on('end', this.#onEnd);
    }
    this.request.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.request.off('data', this.#onData);
    this.request.off('end', this.#onEnd);
    if (this.#begun) this.request.pause();
    callback(error);
  }

  readonly #onData = (chunk: Buffer) => {
    if (!this.push(chunk)) this.request.pause();
  };

  readonly #onEnd = () => {
    this.push(null);
  };
}

/** Whether the request declares a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
