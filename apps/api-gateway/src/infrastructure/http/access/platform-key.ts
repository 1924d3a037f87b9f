import type { FastifyRequest } from 'fastify';
import { unauthorized } from '../errors/problem.js';
import { credentialHashOf } from './credential-hash.js';
import { inOtherHeader } from './misplaced-key.js';

/** The name of the scheme is case-insensitive (RFC 9110 §11.1), the key is not. */
export const PLATFORM_KEY_FORM = /^[Bb][Ee][Aa][Rr][Ee][Rr] +(ak_live_[0-9A-Za-z]{43})$/;

/**
 * The SHA-256 of the request's key; services never receive the key itself. Throws 401 if it is missing or malformed.
 */
export const platformKeyHashOf = ({ headers, raw }: FastifyRequest): string => {
  const header = headers.authorization;
  const hasEmailKey = () => [header, headers['api-key']].some(value => /\bem_live_/.test(String(value)));
  if (header === undefined) {
    const hint = hasEmailKey() ? KEY_KINDS : `${inOtherHeader(headers, 'ak_live_')}${FORM_HINT}`;
    throw refused('platform_key_missing', `The Authorization header is missing. ${hint}`);
  }
  const key = PLATFORM_KEY_FORM.exec(header)?.[1];
  if (key === undefined) {
    const message = 'The Authorization header must be "Bearer ak_live_…" with a valid key.';
    throw refused('platform_key_invalid', hasEmailKey() ? `${message} ${KEY_KINDS}` : message);
  }
  return credentialHashOf(raw, key);
};

const FORM_HINT = 'Send a platform key as "Authorization: Bearer ak_live_…".';
const KEY_KINDS =
  'Keys that begin with em_live_ are for POST /emails; the platform API needs a key that begins with ak_live_.';

const refused = (code: string, message: string) => unauthorized(message, code, { 'www-authenticate': 'Bearer' });
