import { isUtf8 } from 'node:buffer';
import { badRequest, Problem } from '../errors/problem.js';
import { assertParsable } from './json-limits.js';
import { describeSyntaxError } from './json-syntax.js';

/** The bytes of a body. They are parsed only after authentication, so that 401 takes precedence over 400. */
export class ReceivedBody {
  constructor(
    readonly bytes: Buffer,
    readonly contentType: string,
    readonly contentEncoding: string | undefined,
  ) {}
}

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";\s]+)/i;

/** Whether there is no body, or an empty one. */
export const isEmptyBody = (body: unknown): boolean => !(body instanceof ReceivedBody) || body.bytes.length === 0;

/** Parses a JSON body. Throws 415 for another content type or charset, and 400 for invalid JSON or UTF-8. */
export const readJson = (body: unknown): unknown => {
  if (!(body instanceof ReceivedBody) || body.bytes.length === 0) throw badRequest('The body must be a JSON object.');
  assertJsonType(body.contentType);
  if (body.contentEncoding !== undefined && body.contentEncoding !== 'identity') {
    throw new Problem(415, 'The body must not be compressed.');
  }
  // A decoder would replace invalid bytes with U+FFFD and silently change the mail.
  if (!isUtf8(body.bytes)) throw badRequest('The body must be encoded in UTF-8.');
  assertParsable(body.bytes);
  const text = body.bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(`The body is not valid JSON${describeSyntaxError(text)}.`, 'invalid_json');
  }
  // Control characters and lone surrogates occur in JSON only as escapes, so most bodies need no check.
  if (text.includes('\\u') || text.includes('__proto__')) refuseUnsafe(value, '', 0);
  return value;
};

const assertJsonType = (contentType: string): void => {
  if (!JSON_TYPE.test(contentType)) throw new Problem(415, 'Content-Type must be application/json.');
  const charset = CHARSET.exec(contentType)?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) throw new Problem(415, 'The charset must be UTF-8.');
};

/** No schema is deeper, so the schema refuses deeper values; this limit bounds the recursion. */
const MAX_DEPTH = 8;

const refuseUnsafe = (value: unknown, path: string, depth: number): void => {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw badRequest(`${path || 'The body'} must not contain NUL characters.`);
    if (!value.isWellFormed()) throw badRequest(`${path || 'The body'} must be well-formed Unicode.`);
  } else if (Array.isArray(value)) {
    if (depth < MAX_DEPTH) {
      for (const [index, item] of value.entries()) refuseUnsafe(item, `${path}[${index}]`, depth + 1);
    }
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
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
