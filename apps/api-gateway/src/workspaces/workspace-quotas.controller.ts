import { Body, Controller, Get, Param, Patch, UseInterceptors } from '@nestjs/common';
import {
  getWorkspaceQuotas,
  listEmailServices,
  quotaChanges,
  setWorkspaceQuotas,
  type WorkspaceQuotas,
} from '@postern/contracts';
import { z } from 'zod';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { ServiceClient } from '../service-client/ports.js';

const workspaceId = z.uuid();

/** Quotas of a workspace. Not routes of contracts, because two services know what a workspace uses. */
@Controller('dashboard/api/workspaces/:id/quotas')
@UseInterceptors(AuditInterceptor)
export class WorkspaceQuotasController {
  constructor(private readonly services: ServiceClient) {}

  @Get()
  @RequiresSession()
  @Describes({
    operation: 'Workspaces.quotas',
    requests: [listEmailServices, getWorkspaceQuotas],
    summary: 'Get the use and the limit of each quota of a workspace',
  })
  async get(@CurrentSession() session: Session, @Param('id', { schema: workspaceId }) id: string) {
    const quotas = await this.services.request(getWorkspaceQuotas, { actor_id: session.userId, id }, session);
    return this.#withEmailServices(quotas, id, session);
  }

  @Patch()
  @RequiresSession('operator')
  @Describes({
    operation: 'Workspaces.setQuotas',
    requests: [listEmailServices, setWorkspaceQuotas],
    summary: 'Set quotas of any workspace; null returns to the default (operators only)',
    description: 'What exceeds a lower limit stays; only creations are refused.',
  })
  async set(
    @CurrentSession() session: Session,
    @Param('id', { schema: workspaceId }) id: string,
    @Body({ schema: quotaChanges }) quotas: z.output<typeof quotaChanges>,
  ) {
    const changed = await this.services.request(setWorkspaceQuotas, { actor_id: session.userId, id, quotas }, session);
    return this.#withEmailServices(changed, id, session);
  }

  async #withEmailServices(quotas: WorkspaceQuotas, id: string, session: Session): Promise<WorkspaceQuotas> {
    const services = await this.services.request(listEmailServices, { workspace_id: id }, session);
    return { ...quotas, email_services: { ...quotas.email_services, used: services.length } };
  }
}
