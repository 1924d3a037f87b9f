import { hash } from 'node:crypto';
import type { Socket } from 'node:net';

/** A property of the socket: a WeakMap would cause more garbage collection. */
const LATEST = Symbol('latest credential');

type Connection = Socket & { [LATEST]?: Map<string, string> };

/**
 * The SHA-256 of a credential in a request, in hex. A connection caches the latest one, because most of its requests
 * use the same credential. The cache is a map, which compares seeded hashes first: the time of a direct comparison
 * would depend on the number of equal characters, and clients can share the connection of a proxy.
 */
export const credentialHashOf = ({ socket }: { readonly socket: Connection }, credential: string): string => {
  socket[LATEST] ??= new Map();
  const latest = socket[LATEST];
  const known = latest.get(credential);
  if (known !== undefined) return known;
  const digest = hash('sha256', credential, 'hex');
  latest.clear();
  latest.set(credential, digest);
  return digest;
};
