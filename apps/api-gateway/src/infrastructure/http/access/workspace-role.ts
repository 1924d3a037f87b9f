import { getMembership, includesRole, type WorkspaceRole } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServiceClient } from '../../service-client/ports.js';
import { ERROR_CODE } from '../errors/error-code.js';
import { Problem } from '../errors/problem.js';
import { assertShape } from '../validation/shape-pipe.js';
import { sessionOf, setSession } from './session.js';

const parameters = z.object({ id: z.uuid() });

/** Rejects with 403 unless the caller's role in the workspace includes the required one. Runs after authentication. */
export const assertRole = (request: FastifyRequest, required: WorkspaceRole): void => {
  const { role } = sessionOf(request);
  if (includesRole(role, required)) return;
  const message = `This needs the role ${required} in the workspace; yours is ${role}.`;
  throw new Problem(403, message, { [ERROR_CODE]: 'role_insufficient' });
};

/** Switches the session to the workspace of the path; rejects with 404 unless its user belongs to that workspace. */
export const enterWorkspace = async (services: ServiceClient, request: FastifyRequest): Promise<void> => {
  const session = sessionOf(request);
  const { id } = assertShape(parameters, request.params);
  const { role } = await services.request(getMembership, { user_id: session.userId, id }, session);
  setSession(request, { ...session, workspaceId: id, role });
};
