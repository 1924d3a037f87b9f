import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { getEmailService } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { assertShape } from '../input/shape-pipe.js';
import { sessionOf } from './session.js';

const parameters = z.object({ service_id: id });

/**
 * Stands before requests to services that know email services by id only: what belongs to another workspace does not
 * exist (404). Comes after `SessionGuard`.
 */
@Injectable()
export class OwnedServiceGuard implements CanActivate {
  constructor(private readonly services: Services) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const session = sessionOf(request);
    const { service_id } = assertShape(parameters, request.params);
    await this.services.ask(getEmailService, { workspace_id: session.workspaceId, service_id }, session);
    return true;
  }
}
