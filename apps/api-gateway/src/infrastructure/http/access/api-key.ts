import { hash } from 'node:crypto';
import { authenticateApiKey } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../../service-client/ports.js';
import { Problem } from '../errors/problem.js';
import { requestContextOf } from '../server/request-context.js';

const FORMAT = /^em_live_[0-9A-Za-z]{43}$/;

/** A property of the request: a WeakMap would cost more garbage collection. */
const KEY_HASH = Symbol('api key hash');

/** The SHA-256 of the request's key; services never receive the key itself. Throws 401 if it is missing or malformed. */
export const apiKeyHashOf = (request: FastifyRequest & { [KEY_HASH]?: string }): string =>
  (request[KEY_HASH] ??= hashOfKey(request));

const hashOfKey = (request: FastifyRequest): string => {
  const key = request.headers['api-key'];
  if (key === undefined || key === '') throw new Problem(401, 'The Api-Key header is missing.');
  if (typeof key !== 'string' || !FORMAT.test(key)) throw new Problem(401, 'The API key is not valid.');
  return hash('sha256', key, 'hex');
};

/** Authenticates a request that is about to be refused, so that a caller without a valid key learns only 401 or 403. */
export const assertValidApiKey = async (services: ServiceClient, request: FastifyRequest): Promise<void> => {
  await services.request(authenticateApiKey, { api_key_hash: apiKeyHashOf(request) }, requestContextOf(request));
};
