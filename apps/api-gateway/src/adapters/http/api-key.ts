import { hash } from 'node:crypto';
import { authenticateApiKey } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { Services } from '../../ports.js';
import { Problem } from './errors/problem.js';
import { askerOf } from './server/asker.js';

const FORM = /^em_live_[0-9A-Za-z]{43}$/;

/** The hash of the request's key, the only form of it that crosses NATS. A missing or misshapen key is a 401 at once. */
export const apiKeyHashOf = (request: FastifyRequest): string => {
  const key = request.headers['api-key'];
  if (key === undefined || key === '') throw new Problem(401, 'The Api-Key header is missing.');
  if (typeof key !== 'string' || !FORM.test(key)) throw new Problem(401, 'The API key is not valid.');
  return hash('sha256', key, 'hex');
};

/** 401 or 403, if that is what the caller has to hear before anything about the request itself. */
export const refuseStrangers = async (services: Services, request: FastifyRequest): Promise<void> => {
  await services.ask(authenticateApiKey, { api_key_hash: apiKeyHashOf(request) }, askerOf(request));
};
