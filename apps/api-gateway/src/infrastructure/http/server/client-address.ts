import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A property of the request: Fastify reads the forwarding headers again on every access of `ip`. */
const ADDRESS = Symbol('client address');

/** The client's IP address: the peer's, or that of `X-Forwarded-For` if the peer is a trusted proxy and it is valid. */
export const clientAddressOf = (request: FastifyRequest & { [ADDRESS]?: string }): string =>
  (request[ADDRESS] ??= addressOf(request));

const addressOf = (request: FastifyRequest): string => {
  // Undefined when the client has gone.
  const address = ((request.ip as string | undefined) ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) ? address : (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
};
