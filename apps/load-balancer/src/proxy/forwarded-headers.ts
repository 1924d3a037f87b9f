import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { isForwarding, isHopByHop } from './client-headers.js';
import type { ProxyContext } from './proxied-request.js';

const REQUEST_ID = 'x-request-id';
const SAFE_TO_LOG = /^[A-Za-z0-9._:+/=@-]{1,200}$/;

/** Names and values alternately, as received on the wire. */
export type RawHeaders = readonly string[];

/**
 * The request headers for the backend: `Host` as the client sent it, and the forwarding headers. Only a trusted proxy
 * may set a request's client, scheme and host.
 */
export const requestHeaders = (
  request: IncomingMessage,
  {
    target: { host },
    isFromTrustedProxy,
    requestId,
  }: Pick<ProxyContext, 'target' | 'isFromTrustedProxy' | 'requestId'>,
): string[] => {
  const { headers, rawHeaders, socket } = request;
  const dropped = namedByConnection(headers.connection);
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (isHopByHop(name) || isForwarding(name) || REPLACED.has(name) || dropped?.has(name)) continue;
    kept.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  const client = (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '');
  const front = (name: string) => (isFromTrustedProxy ? firstOf(headers[name]) : undefined);
  const before = front('x-forwarded-for');
  return [
    'Host',
    host,
    ...kept,
    'X-Forwarded-For',
    before ? `${before}, ${client}` : client,
    'X-Forwarded-Proto',
    front('x-forwarded-proto') ?? 'http',
    'X-Forwarded-Host',
    front('x-forwarded-host') ?? host,
    'X-Request-Id',
    requestId,
  ];
};

/** Set by the load balancer in every request. */
const REPLACED = new Set(['host', REQUEST_ID]);

/**
 * The response headers for the client. The backend may set another request id. `Trailer` announces fields that follow a
 * body of unknown length, if the client's protocol has them.
 */
export const responseHeaders = (raw: RawHeaders, requestId: string, hasTrailers: boolean): string[] => {
  let connection = '';
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]!.toLowerCase() === 'connection') connection += `,${raw[index + 1]}`;
  const dropped = namedByConnection(connection);
  const canTrail = hasTrailers && has(raw, 'transfer-encoding');
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const isKept = !isHopByHop(name) && !dropped?.has(name);
    if (isKept || (name === 'trailer' && canTrail)) kept.push(raw[index]!, raw[index + 1]!);
  }
  return has(raw, REQUEST_ID) ? kept : [...kept, 'X-Request-Id', requestId];
};

/** The headers of a 103 response for the client; undefined without `Link`, which makes it useful. */
export const earlyHints = (raw: RawHeaders): (Record<string, string | string[]> & { link: string[] }) | undefined => {
  const link: string[] = [];
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]!.toLowerCase() === 'link') link.push(...raw[index + 1]!.split(/\s*,\s*(?=<)/));
  return link.length > 0 ? { link } : undefined;
};

/** The trailer fields for the client; those of one connection and of framing are dropped (RFC 9110 §6.5.1). */
export const trailersOf = (trailers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(trailers).filter(([name]) => !isHopByHop(name) && name !== 'content-length' && name !== 'host'),
  );

/** The id that a client gave its request, if it is safe to log; otherwise a new one. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && SAFE_TO_LOG.test(given) ? given : randomUUID();
};

const has = (raw: RawHeaders, name: string): boolean =>
  raw.some((part, index) => index % 2 === 0 && part.toLowerCase() === name);

const firstOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

/** `Content-Length` and `Host` control framing and routing: a client must not get them removed (RFC 9110 §7.6.1). */
const namedByConnection = (connection: string | undefined): ReadonlySet<string> | undefined => {
  if (!connection || /^,?(keep-alive|close|upgrade)$/i.test(connection)) return undefined;
  const named = new Set(connection.split(',').map(token => token.trim().toLowerCase()));
  named.delete('content-length');
  named.delete('host');
  return named;
};

export interface RequestTarget {
  readonly path: string;
  readonly host: string;
}

/** Path and host of a request; undefined if no service can answer it (`*`, or several `Host` headers). */
export const targetOf = ({ url = '', headers, rawHeaders }: IncomingMessage): RequestTarget | undefined => {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.toLowerCase() === 'host') hosts += 1;
  if (hosts > 1) return undefined;
  if (url.startsWith('/')) return { path: url, host: headers.host ?? '' };
  // A client may send an absolute URL (RFC 9112 §3.2.2); its host takes precedence.
  const whole = /^https?:\/\/([^/?#@\s]+)([/?][^#\s]*)?$/i.exec(url);
  if (!whole?.[1]) return undefined;
  const rest = whole[2] ?? '/';
  return { path: rest.startsWith('/') ? rest : `/${rest}`, host: whole[1] };
};
