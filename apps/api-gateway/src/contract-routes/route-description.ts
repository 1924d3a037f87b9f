import { type HttpRoute, isRepeatable, type RequestContract, type RouteAccess, requiredRole } from '@postern/contracts';
import { z } from 'zod';
import { Describes, type OperationDescription } from '../infrastructure/http/openapi/describe.js';

/** Documents a contract's route in OpenAPI. */
export const describeRoute = (contract: RequestContract, route: HttpRoute, access: RouteAccess) => {
  const { operation, operationId, summary, description, examples, archive } = route;
  return Describes({
    operation,
    ...(operationId === undefined ? {} : { operationId }),
    summary,
    requests: [contract],
    session: access !== 'platform-key' && access !== 'anyone',
    repeatable: isRepeatable(route, access),
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    ...(archive === undefined ? {} : { archive }),
    ...replyOf(contract, route),
    ...refusedBeforehand(contract, route, access),
  });
};

/** Responses that the gateway sends before it forwards the request. */
const refusedBeforehand = (
  contract: RequestContract,
  route: HttpRoute,
  access: RouteAccess,
): Pick<OperationDescription, 'also' | 'codes'> => {
  const role = requiredRole(route);
  const { also = {} } = replyOf(contract, route);
  if (access === 'operator')
    return { also: { ...also, 403: 'Only operators can do this.' }, codes: { 403: ['not_an_operator'] } };
  const needsRole = SESSIONS.has(access) && role !== 'viewer';
  const needsService = access === 'service-owner' && !refusesUnknownService(contract);
  return {
    also: {
      ...also,
      ...(route.archive === undefined ? {} : ARCHIVE_REFUSED),
      ...(needsRole ? { 403: `\`role_insufficient\`: this needs the role ${role}.` } : {}),
      ...(needsService ? { 404: '`service_not_found`' } : {}),
    },
    codes: {
      ...(route.archive === undefined ? {} : ARCHIVE_CODES),
      ...(needsRole ? { 403: ['role_insufficient'] } : {}),
      ...(needsService ? { 404: ['service_not_found'] } : {}),
    },
  };
};

const ARCHIVE_REFUSED = {
  400: '`invalid_archive`: the archive cannot be unpacked safely. `uploads_not_supported`: this installation builds no uploads.',
  409: '`upload_space_full`: the uploads of the workspace have reached 2 GiB.',
};
const ARCHIVE_CODES = { 400: ['invalid_archive', 'uploads_not_supported'], 409: ['upload_space_full'] };

const SESSIONS: ReadonlySet<RouteAccess> = new Set(['session', 'service-owner', 'workspace-member']);

const refusesUnknownService = ({ refusals }: RequestContract): boolean => 'service_not_found' in refusals;

const replyOf = ({ reply }: RequestContract, { upsert }: HttpRoute): Pick<OperationDescription, 'reply' | 'also'> => {
  if (!upsert || !(reply instanceof z.ZodObject)) return {};
  const resource: z.ZodType = reply.shape[upsert.resource];
  return { reply: resource, also: { 200: upsert.updated } };
};
