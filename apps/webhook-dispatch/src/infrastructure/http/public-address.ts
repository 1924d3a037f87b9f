import { lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv6 ranges that embed an IPv4 address, which is the actual destination. */
const EMBEDDED_IPV4: Partial<Record<string, (bytes: readonly number[]) => readonly number[]>> = {
  rfc6052: bytes => bytes.slice(12, 16),
  rfc6145: bytes => bytes.slice(12, 16),
  '6to4': bytes => bytes.slice(2, 6),
};

/** Whether an address is public: not private, loopback, link-local, CGNAT, multicast or reserved. */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const embedded = EMBEDDED_IPV4[address.range()];
  if (embedded) return ipaddr.fromByteArray([...embedded(address.toByteArray())]).range() === 'unicast';
  return address.range() === 'unicast';
};

/** A host resolves to an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor(host: string, address: string) {
    super(`${host} resolves to ${address}, which is not a public address`);
  }
}

/** The literal address of a URL, without brackets; undefined for host names. */
export const literalAddress = (url: URL): string | undefined => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host) ? host : undefined;
};

/**
 * The lookup of a connection; fails if any address is not public. The connection uses an address of this result, so DNS
 * rebinding between a check and the connection has no effect.
 */
export const lookupPublicAddress: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const notPublic = addresses.find(({ address }) => !isPublicAddress(address));
    if (notPublic) return callback(new PrivateAddressError(hostname, notPublic.address), '', 0);
    if (options.all) return callback(null, addresses);
    const first = addresses[0];
    return first
      ? callback(null, first.address, first.family)
      : callback(new Error(`${hostname} has no address`), '', 0);
  });
};
