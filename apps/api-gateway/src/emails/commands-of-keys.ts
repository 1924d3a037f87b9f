import { authenticateApiKey, type ReplyOf, type RequestContract, type RequestInput } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiKeyHashOf } from '../infrastructure/http/access/api-key.js';
import { repeatableWith } from '../infrastructure/http/idempotency/repeatable.js';
import { requestKeyOf } from '../infrastructure/http/idempotency/request-key.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import type { ServiceClient } from '../infrastructure/service-client/ports.js';

/** The API key of a request, and the email service that it belongs to. */
export interface OfKey {
  readonly api_key_hash: string;
  readonly service_id: string;
}

export const authenticated = async (services: ServiceClient, request: FastifyRequest): Promise<OfKey> => {
  const api_key_hash = apiKeyHashOf(request);
  const { service_id } = await services.request(authenticateApiKey, { api_key_hash }, requestContextOf(request));
  return { api_key_hash, service_id };
};

/** Sends a command; authenticates before `read` reads the body. The keys of repetitions belong to the email service. */
export const commandOfKey = async <C extends RequestContract>(
  services: ServiceClient,
  request: FastifyRequest,
  reply: FastifyReply,
  contract: C,
  read: (ofKey: OfKey) => RequestInput<C>,
): Promise<ReplyOf<C>> => {
  const ofKey = await authenticated(services, request);
  const sent = read(ofKey);
  const key = requestKeyOf(request, `email service ${ofKey.service_id}`);
  return repeatableWith(key, reply, repetition =>
    services.request(contract, sent, { ...requestContextOf(request), ...repetition }),
  );
};
