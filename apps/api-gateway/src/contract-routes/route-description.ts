import type { HttpRoute, RequestContract, RouteAccess } from '@postern/contracts';
import { z } from 'zod';
import { Describes, type OperationDescription } from '../infrastructure/http/openapi/describe.js';

/** Documents a contract's route in OpenAPI. */
export const describeRoute = (contract: RequestContract, route: HttpRoute, access: RouteAccess) => {
  const { operation, summary, description, examples } = route;
  return Describes({
    operation,
    summary,
    requests: [contract],
    session: access !== 'platform-key',
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    ...replyOf(contract, route),
    ...(access === 'operator' ? { also: { 403: 'Only operators can do this.' } } : {}),
    ...(access === 'service-owner' && !refusesUnknownService(contract) ? { also: { 404: '`service_not_found`' } } : {}),
  });
};

const refusesUnknownService = ({ refusals }: RequestContract): boolean => 'service_not_found' in refusals;

const replyOf = ({ reply }: RequestContract, { upsert }: HttpRoute): Pick<OperationDescription, 'reply' | 'also'> => {
  if (!upsert || !(reply instanceof z.ZodObject)) return {};
  const resource: z.ZodType = reply.shape[upsert.resource];
  return { reply: resource, also: { 200: upsert.updated } };
};
