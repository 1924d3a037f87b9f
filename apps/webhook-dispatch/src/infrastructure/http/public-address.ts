import { lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv6 ranges that carry an IPv4 address inside, which is the one that will be reached. */
const EMBEDDED_IPV4: Partial<Record<string, (bytes: readonly number[]) => readonly number[]>> = {
  rfc6052: bytes => bytes.slice(12, 16),
  rfc6145: bytes => bytes.slice(12, 16),
  '6to4': bytes => bytes.slice(2, 6),
};

/** Whether an address is reachable by everybody: neither private, loopback, link-local, CGNAT, multicast nor reserved. */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const embedded = EMBEDDED_IPV4[address.range()];
  if (embedded) return ipaddr.fromByteArray([...embedded(address.toByteArray())]).range() === 'unicast';
  return address.range() === 'unicast';
};

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor(host: string, address: string) {
    super(`${host} is at ${address}, which is no public address`);
  }
}

/** The address that a URL names literally, without brackets; undefined for names. */
export const literalAddress = (url: URL): string | undefined => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host) ? host : undefined;
};

/**
 * Looks a name up as the connection is made and fails when one of its addresses is not public. The connection then
 * goes to an address of this very answer, so a name that changes between check and call gains nothing.
 */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const hidden = addresses.find(({ address }) => !isPublicAddress(address));
    if (hidden) return callback(new PrivateAddressError(hostname, hidden.address), '', 0);
    if (options.all) return callback(null, addresses);
    const first = addresses[0];
    return first
      ? callback(null, first.address, first.family)
      : callback(new Error(`${hostname} has no address`), '', 0);
  });
};
