import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The client's address: the peer's, or what `X-Forwarded-For` says where the peer is one of the trusted proxies (the
 * server is set up so). A forwarded entry that is no address is not believed.
 */
export const clientAddressOf = (request: FastifyRequest): string => {
  const address = request.ip.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) ? address : (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
};
