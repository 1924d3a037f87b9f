import type { IncomingMessage } from 'node:http';
import { isForwarding, isHopByHop } from './client-headers.js';

/** Names and values alternately, as received on the wire. */
export type RawHeaders = readonly string[];

/**
 * The request headers for the backend: `Host` as the client sent it, and the forwarding headers. Only a trusted proxy
 * may set a request's client, scheme and host.
 */
export const requestHeaders = (request: IncomingMessage, host: string, isFromTrustedProxy: boolean): string[] => {
  const { headers, rawHeaders, socket } = request;
  const dropped = namedByConnection(headers.connection);
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (isHopByHop(name) || isForwarding(name) || name === 'host' || dropped?.has(name)) continue;
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
  ];
};

/** The response headers for the client. */
export const responseHeaders = (raw: RawHeaders): string[] => {
  let connection = '';
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]!.toLowerCase() === 'connection') connection += `,${raw[index + 1]}`;
  const dropped = namedByConnection(connection);
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    if (!isHopByHop(name) && !dropped?.has(name)) kept.push(raw[index]!, raw[index + 1]!);
  }
  return kept;
};

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
