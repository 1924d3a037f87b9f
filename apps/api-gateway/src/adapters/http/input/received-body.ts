import { isUtf8 } from 'node:buffer';
import { badRequest, Problem } from '../errors/problem.js';

/**
 * A body as it came, not yet judged: whether it is JSON at all is asked only after the caller is known, so that a
 * stranger learns 401 and nothing else.
 */
export class ReceivedBody {
  constructor(
    readonly bytes: Buffer,
    readonly contentType: string,
    readonly contentEncoding: string | undefined,
  ) {}
}

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";\s]+)/i;

/** No body at all, or one of no bytes. */
export const isEmptyBody = (body: unknown): boolean => !(body instanceof ReceivedBody) || body.bytes.length === 0;

/** The value of a JSON body. Throws 415 for another content type or charset, 400 for what is no JSON in UTF-8. */
export const readJson = (body: unknown): unknown => {
  if (!(body instanceof ReceivedBody) || body.bytes.length === 0) throw badRequest('The body must be a JSON object.');
  assertJsonType(body.contentType);
  if (body.contentEncoding !== undefined && body.contentEncoding !== 'identity') {
    throw new Problem(415, 'The body must not be compressed.');
  }
  // A decoder would put U+FFFD in the place of broken bytes, and the mail would silently differ from what was sent.
  if (!isUtf8(body.bytes)) throw badRequest('The body must be encoded in UTF-8.');
  const text = body.bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
  // JSON allows control characters and half surrogate pairs only as escapes, so most bodies need no closer look.
  if (text.includes('\\u') || text.includes('__proto__')) refuseUnsafe(value, '', 0);
  return value;
};

const assertJsonType = (contentType: string): void => {
  if (!JSON_TYPE.test(contentType)) throw new Problem(415, 'Content-Type must be application/json.');
  const charset = CHARSET.exec(contentType)?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) throw new Problem(415, 'The charset must be UTF-8.');
};

/** No shape of ours is deeper; what is, is refused by its shape, and the walk stays off the stack's end. */
const DEEPEST_SHAPE = 8;

const refuseUnsafe = (value: unknown, path: string, depth: number): void => {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw badRequest(`${path || 'The body'} must not contain NUL characters.`);
    if (!value.isWellFormed()) throw badRequest(`${path || 'The body'} must be well-formed Unicode.`);
  } else if (Array.isArray(value)) {
    if (depth < DEEPEST_SHAPE) {
      for (const [index, item] of value.entries()) refuseUnsafe(item, `${path}[${index}]`, depth + 1);
    }
  } else if (typeof value === 'object' && value !== null && depth < DEEPEST_SHAPE) {
    for (const [key, item] of Object.entries(value)) {
      const at = path ? `${path}.${key}` : key;
      if (key === '__proto__') throw badRequest(`${at} is not allowed.`);
      if (key.includes('\0') || !key.isWellFormed()) {
        throw badRequest(`${path || 'The body'} has a field whose name is not well-formed text.`);
      }
      refuseUnsafe(item, at, depth + 1);
    }
  }
};
