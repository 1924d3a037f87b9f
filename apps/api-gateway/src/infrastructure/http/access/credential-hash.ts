import { hash } from 'node:crypto';
import type { Socket } from 'node:net';

/** A property of the socket: a WeakMap would cost more garbage collection. */
const LATEST = Symbol('latest credential');

type Connection = Socket & { [LATEST]?: Map<string, string> };

/**
 * The SHA-256 of a credential that a request presents, in hex. A connection keeps the latest one, because its requests mostly
 * present the same credential. It is in a map, which compares seeded hashes first: comparing the credentials themselves
 * would take longer the more of their characters are equal, and clients can share the connection of a proxy.
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
