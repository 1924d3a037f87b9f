import { getEmailService } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServiceClient } from '../../service-client/ports.js';
import { assertShape } from '../validation/shape-pipe.js';
import { sessionOf } from './session.js';

const parameters = z.object({ service_id: z.uuid() });

/**
 * Rejects with 404 unless the email service of the path belongs to the session's workspace. For requests to services
 * without workspaces. Runs after `SessionAuthentication`.
 */
export const assertOwnsService = async (services: ServiceClient, request: FastifyRequest): Promise<void> => {
  const session = sessionOf(request);
  const { service_id } = assertShape(parameters, request.params);
  await services.request(getEmailService, { workspace_id: session.workspaceId, service_id }, session);
};
