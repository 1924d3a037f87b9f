import { Problem } from '../errors/problem.js';

export interface BufferLimits {
  readonly total: number;
  readonly perClient: number;
}

const RETRY = { 'retry-after': '1' };

/** Buffered bytes of request bodies and messages, from their arrival to the response, per client and in total. */
export class BufferedBytes {
  #total = 0;
  readonly #clients = new Map<string, number>();

  constructor(private readonly limits: BufferLimits) {}

  /** Counts received bytes. @throws 429 beyond the client's share, 503 beyond the total; then nothing is counted. */
  reserve(client: string, bytes: number): void {
    this.assertFits(client, bytes);
    this.#total += bytes;
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + bytes);
  }

  /** Refuses a body that certainly would not fit. @throws like `reserve`. */
  assertFits(client: string, bytes: number): void {
    if ((this.#clients.get(client) ?? 0) + bytes > this.limits.perClient) {
      throw new Problem(429, 'Too many large requests from this address at once. Try again.', RETRY);
    }
    if (this.#total + bytes > this.limits.total) {
      throw new Problem(503, 'Too many large requests at once. Try again.', RETRY);
    }
  }

  release(client: string, bytes: number): void {
    this.#total -= bytes;
    const left = (this.#clients.get(client) ?? 0) - bytes;
    if (left > 0) this.#clients.set(client, left);
    else this.#clients.delete(client);
  }
}
