import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A property of the message: a WeakMap would cost more garbage collection. */
const LATEST = Symbol('latest credential');

type Message = IncomingMessage & { [LATEST]?: { readonly credential: string; readonly digest: string } };

/** The SHA-256 of a credential that a request presents, in hex; admission and the access log need it several times. */
export const credentialHashOf = (message: Message, credential: string): string => {
  const latest = message[LATEST];
  if (latest?.credential === credential) return latest.digest;
  const digest = hash('sha256', credential, 'hex');
  message[LATEST] = { credential, digest };
  return digest;
};
