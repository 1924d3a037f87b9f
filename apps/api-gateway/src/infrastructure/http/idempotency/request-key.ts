import { hash } from 'node:crypto';
import { idempotencyKey } from '@postern/contracts';
import type { RequestKey } from '@postern/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../errors/problem.js';
import { routeUrlOf } from '../server/route-url.js';
import { isEmptyBody, readJson } from '../validation/received-body.js';
import { StreamedBody } from '../validation/streamed-body.js';
import { canonicalJson } from './canonical-json.js';

const HEADER = 'idempotency-key';
const REPLAYED = 'idempotent-replayed';

/** The header `Idempotency-Key`; throws 400 if it is too long or empty. */
export const idempotencyKeyOf = ({ headers }: FastifyRequest): string | undefined => {
  const key = headers[HEADER];
  if (key === undefined) return undefined;
  const { success, data } = idempotencyKey.safeParse(key);
  if (!success) throw badRequest('Idempotency-Key must have 1 to 255 characters.');
  return data;
};

/** For the service that carries out the command of a caller; undefined if the client sent no key. */
export const requestKeyOf = (request: FastifyRequest, caller: string): RequestKey | undefined => {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return undefined;
  return { caller, key, fingerprint: fingerprintOf(request) };
};

/** Method, path, query and the values of the body; their notation makes no difference. */
const fingerprintOf = (request: FastifyRequest): string => {
  const parts = [request.method, routeUrlOf(request), request.params, request.query, bodyOf(request)];
  return hash('sha256', canonicalJson(parts), 'hex');
};

/** A route without a body ignores one, whatever it contains. */
const bodyOf = ({ body }: FastifyRequest): unknown => {
  if (body instanceof StreamedBody) return body.digest;
  if (isEmptyBody(body)) return null;
  try {
    return readJson(body);
  } catch {
    return undefined;
  }
};

/** Says in the response that it repeats the answer to an earlier request. */
export const markReplayed = (reply: FastifyReply): void => void reply.header(REPLAYED, 'true');

export const isReplayed = (reply: FastifyReply): boolean => reply.hasHeader(REPLAYED);
