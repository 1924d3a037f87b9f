import type { RequestContext } from './context.js';

/**
 * The wire format: JSON arrays of frames, because requests of one tick travel together. Each request is answered by
 * its own frame, in whichever message is ready first; `i` matches them.
 */
export interface RequestFrame {
  readonly i: string;
  readonly p: unknown;
  /** How long the asker waits from now on. Relative, so that clocks need not agree. */
  readonly w: number;
  readonly c: RequestContext;
}

export type ReplyFrame =
  | { readonly i: string; readonly ok?: unknown }
  | {
      readonly i: string;
      readonly refusal: { code: string; message: string; details: Readonly<Record<string, unknown>> };
    }
  | { readonly i: string; readonly fault: string }
  | { readonly i: string; readonly busy: true };

export const decodeFrames = <Frame>(data: Uint8Array): Frame[] =>
  JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')) as Frame[];
