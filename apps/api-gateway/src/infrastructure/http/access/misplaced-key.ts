import type { IncomingHttpHeaders } from 'node:http';

/** Headers in which other APIs take a key. */
const HEADERS = { 'api-key': 'Api-Key', 'x-api-key': 'X-API-Key', 'x-auth-token': 'X-Auth-Token' } as const;

/** A sentence that names the header which has a key with this prefix, followed by a space; empty if none has. */
export const inOtherHeader = (headers: IncomingHttpHeaders, prefix: string): string => {
  const found = Object.entries(HEADERS).find(([name]) => String(headers[name] ?? '').includes(prefix));
  return found ? `The key is in the header ${found[1]}. ` : '';
};
