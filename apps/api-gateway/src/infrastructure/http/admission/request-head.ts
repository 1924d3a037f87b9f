import type { FastifyRequest } from 'fastify';
import { badRequest, Problem } from '../errors/problem.js';

/** Refuses a missing Host header in HTTP/1.1, and a repeated one in any version (RFC 9112 §3.2). */
export const assertOneHost = ({ raw }: FastifyRequest): void => {
  const { rawHeaders } = raw;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw new Problem(400, 'The Host header is repeated.', { connection: 'close' });
  // Node.js would refuse this itself, but with an empty body.
  if (hosts === 0 && raw.httpVersion === '1.1') {
    throw new Problem(400, 'The Host header is missing.', { connection: 'close' });
  }
};

/** C0, DEL and C1 as UTF-8; the parser refuses them unescaped. */
const ESCAPED_CONTROL = /%(?:[01][0-9a-f]|7f|c2%[89][0-9a-f])/i;
const CONTROL = /\p{Cc}/u;

/** Whether the path or the query contains control characters. */
export const hasControlCharacters = ({ url }: FastifyRequest): boolean =>
  url.includes('%') && ESCAPED_CONTROL.test(url);

/** Refuses control characters in the path and the query. @throws a 400 that names the parameter. */
export const assertNoControlCharacters = (request: FastifyRequest): void => {
  if (!hasControlCharacters(request)) return;
  const { params, query } = request;
  for (const [name, value] of [...entriesOf(params), ...entriesOf(query)]) {
    if (CONTROL.test(name)) throw badRequest('The name of a query parameter must not contain control characters.');
    const values = Array.isArray(value) ? value : [value];
    if (values.some(one => typeof one === 'string' && CONTROL.test(one))) {
      throw badRequest(`${name === '*' ? 'The path' : name} must not contain control characters.`);
    }
  }
};

const entriesOf = (values: unknown): [string, unknown][] =>
  typeof values === 'object' && values !== null ? Object.entries(values) : [];
