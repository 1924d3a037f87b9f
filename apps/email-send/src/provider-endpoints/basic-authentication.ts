import type { ProviderCredentials } from '@postern/contracts';
import type { ProviderCall } from './provider-call.js';
import { invalidInput, invalidSignature } from './provider-refusals.js';
import { isSame, present } from './provider-values.js';

/** The user name and password, if both are given. Refuses one without the other. */
export function basicCredentials({ username, password }: ProviderCredentials): ProviderCredentials {
  if ((username === undefined) !== (password === undefined)) {
    throw username === undefined
      ? invalidInput('username', 'is required with password')
      : invalidInput('password', 'is required with username');
  }
  if (username?.includes(':')) throw invalidInput('username', 'must not contain a colon');
  return present({ username, password });
}

/** Refuses a call without the credentials of the endpoint; without any, the token in the URL is the only one. */
export function assertAuthorized({ headers }: ProviderCall, credentials: ProviderCredentials): void {
  const expected = expectedOf(credentials);
  if (!expected) return;
  const [, scheme = '', value = ''] = /^(\S+) +(\S+) *$/.exec(headers['authorization'] ?? '') ?? [];
  if (value === '') throw invalidSignature('the header Authorization is missing');
  if (scheme.toLowerCase() !== expected.scheme || !isSame(value, expected.value)) {
    throw invalidSignature('the header Authorization does not match the credentials of the endpoint');
  }
}

function expectedOf({ username, password, bearer_token }: ProviderCredentials) {
  if (bearer_token !== undefined) return { scheme: 'bearer', value: bearer_token };
  if (username === undefined) return undefined;
  return { scheme: 'basic', value: Buffer.from(`${username}:${password}`).toString('base64') };
}
