import type { IncomingMessage } from 'node:http';
import { Problem } from '../errors/problem.js';

/** A body that its route reads as it arrives. */
export class StreamedBody {
  /** Identifies the content once it was read; for `Idempotency-Key`. */
  digest: string | undefined;

  constructor(private readonly payload: IncomingMessage) {}

  /** The connection stays open if the reader stops early, so that the client receives the response. */
  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.payload.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
    } catch {
      throw new Problem(400, 'The request body is incomplete.', { connection: 'close' });
    }
  }
}
