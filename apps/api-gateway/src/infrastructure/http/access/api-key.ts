import { hash } from 'node:crypto';
import { authenticateApiKey } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../../service-client/ports.js';
import { unauthorized } from '../errors/problem.js';
import { requestContextOf } from '../server/request-context.js';

/** The form of an API key of the email API. */
export const API_KEY_FORMAT = /^em_live_[0-9A-Za-z]{43}$/;

/** A property of the request: a WeakMap would cost more garbage collection. */
const KEY_HASH = Symbol('api key hash');

/** The SHA-256 of the request's key; services never receive the key itself. Throws 401 if it is missing or malformed. */
export const apiKeyHashOf = (request: FastifyRequest & { [KEY_HASH]?: string }): string =>
  (request[KEY_HASH] ??= hashOfKey(request));

const hashOfKey = (request: FastifyRequest): string => {
  const { 'api-key': key, authorization = '' } = request.headers;
  const platformKey = [key, authorization].some(value => /\bak_live_/.test(String(value)));
  if (key === undefined || key === '') {
    const hint = platformKey ? KEY_KINDS : authorization ? NOT_AUTHORIZATION : FORM_HINT;
    throw unauthorized(`The Api-Key header is missing. ${hint}`, 'api_key_missing');
  }
  if (typeof key !== 'string' || !API_KEY_FORMAT.test(key)) {
    const hint = platformKey ? ` ${KEY_KINDS}` : '';
    throw unauthorized(`The API key is not valid.${hint}`, 'api_key_invalid');
  }
  return hash('sha256', key, 'hex');
};

const FORM_HINT = 'Send the key of an email service as "Api-Key: em_live_…".';
const NOT_AUTHORIZATION = `${FORM_HINT} This API does not read the Authorization header.`;
const KEY_KINDS =
  'Keys that begin with ak_live_ are for the platform API; POST /emails needs the key of an email service, which begins with em_live_.';

/** Authenticates a request that is about to be refused, so that a caller without a valid key learns only 401 or 403. */
export const assertValidApiKey = async (services: ServiceClient, request: FastifyRequest): Promise<void> => {
  await services.request(authenticateApiKey, { api_key_hash: apiKeyHashOf(request) }, requestContextOf(request));
};
