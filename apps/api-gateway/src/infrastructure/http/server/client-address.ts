import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A property of the request: Fastify parses the forwarding headers on every access of `ip`. */
const ADDRESS = Symbol('client address');

/** The client's IP address: that of the peer, or a valid one from `X-Forwarded-For` if the peer is a trusted proxy. */
export const clientAddressOf = (request: FastifyRequest & { [ADDRESS]?: string }): string =>
  (request[ADDRESS] ??= addressOf(request));

const addressOf = (request: FastifyRequest): string => {
  // Undefined once the client has disconnected.
  const address = ((request.ip as string | undefined) ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) ? address : (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
};
