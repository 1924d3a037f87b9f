import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { getEmailService } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceClient } from '../../../service-client/ports.js';
import { assertShape } from '../validation/shape-pipe.js';
import { sessionOf } from './session.js';

const parameters = z.object({ service_id: z.uuid() });

/**
 * Answers 404 unless the email service of the path belongs to the session's workspace. For requests to services that do
 * not know workspaces. Runs after `SessionGuard`.
 */
@Injectable()
export class ServiceOwnerGuard implements CanActivate {
  constructor(private readonly services: ServiceClient) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const session = sessionOf(request);
    const { service_id } = assertShape(parameters, request.params);
    await this.services.request(getEmailService, { workspace_id: session.workspaceId, service_id }, session);
    return true;
  }
}
