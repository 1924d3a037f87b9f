import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A property of the request: Fastify parses the forwarding headers on every access of `ip`. */
const ADDRESS = Symbol('client address');

/** The client's IP address: that of the peer, or a valid one from `X-Forwarded-For` if the peer is a trusted proxy. */
export const clientAddressOf = (request: FastifyRequest & { [ADDRESS]?: string }): string =>
  (request[ADDRESS] ??= addressOf(request));

/** The same for a request that has not reached Fastify. */
export const rawClientAddressOf = ({ socket, headers }: IncomingMessage, trustedProxies: BlockList): string => {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const trusts = (address: string) =>
    isIP(address) !== 0 && trustedProxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  let address = plainOf(socket.remoteAddress ?? '');
  while (trusts(address) && forwarded.length > 0) {
    const next = plainOf(forwarded.pop()!.trim());
    if (!isIP(next)) break;
    address = next;
  }
  return address;
};

/** IPv4 in its own form. */
const plainOf = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

const addressOf = (request: FastifyRequest): string => {
  // Undefined once the client has disconnected.
  const address = plainOf((request.ip as string | undefined) ?? '');
  return isIP(address) ? address : plainOf(request.socket.remoteAddress ?? '');
};
