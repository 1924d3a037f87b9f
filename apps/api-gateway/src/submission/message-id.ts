const MAX_HEADER_BYTES = 256 * 1024;
const IDEMPOTENCY_KEY = /^(?:x-postern|resend)-idempotency-key[ \t]*:[ \t]*([\x21-\x7e]{1,255})[ \t]*\r?$/im;

/** The Message-ID in the header of a message; undefined if it has none. */
export const messageIdIn = (content: Buffer): string | undefined =>
  /^message-id[ \t]*:\s*(<[^<>\s]{1,900}>)/im.exec(headerOf(content))?.[1];

/** The key under which a client sends a message at most once; undefined if it has none, or one that is no key. */
export const idempotencyKeyIn = (content: Buffer): string | undefined => IDEMPOTENCY_KEY.exec(headerOf(content))?.[1];

const headerOf = (content: Buffer): string => {
  const start = content.subarray(0, MAX_HEADER_BYTES).toString('latin1');
  return start.split(/\r?\n\r?\n/, 1)[0] ?? '';
};
