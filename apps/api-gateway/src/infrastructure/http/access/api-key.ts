import { authenticateApiKey } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../service-client/ports.js';
import { unauthorized } from '../errors/problem.js';
import { requestContextOf } from '../server/request-context.js';
import { credentialHashOf } from './credential-hash.js';
import { inOtherHeader } from './misplaced-key.js';

/** The format of an API key of the email API. */
export const API_KEY_FORMAT = /^em_live_[0-9A-Za-z]{43}$/;

/** The SHA-256 of the request's key; services never receive the key itself. Throws 401 if it is missing or malformed. */
export const apiKeyHashOf = ({ headers, raw }: FastifyRequest): string => {
  const { 'api-key': key, authorization = '' } = headers;
  const hasPlatformKey = () => [key, authorization].some(value => /\bak_live_/.test(String(value)));
  if (key === undefined || key === '') {
    const hint = hasPlatformKey() ? KEY_KINDS : authorization ? NOT_AUTHORIZATION : FORM_HINT;
    throw unauthorized(
      `The Api-Key header is missing. ${inOtherHeader(headers, 'em_live_')}${hint}`,
      'api_key_missing',
    );
  }
  if (typeof key !== 'string' || !API_KEY_FORMAT.test(key)) {
    const hint = hasPlatformKey() ? ` ${KEY_KINDS}` : '';
    throw unauthorized(`The API key is not valid.${hint}`, 'api_key_invalid');
  }
  return credentialHashOf(raw, key);
};

const FORM_HINT = 'Send the key of an email service as "Api-Key: em_live_…".';
const NOT_AUTHORIZATION = `${FORM_HINT} This API does not read the Authorization header.`;
const KEY_KINDS =
  'Keys that begin with ak_live_ are for the platform API; POST /emails needs the key of an email service, which begins with em_live_.';

/** Authenticates a request that is about to be refused, so that a caller without a valid key gets only 401 or 403. */
export const assertValidApiKey = async (services: ServiceClient, request: FastifyRequest): Promise<void> => {
  await services.request(authenticateApiKey, { api_key_hash: apiKeyHashOf(request) }, requestContextOf(request));
};
