import { Controller, Get } from '@nestjs/common';
import {
  listEmailProblems,
  listEmailServices,
  listPlatformProblems,
  listSenderProblems,
  listWebhookProblems,
  type WorkspaceStatus,
  workspaceStatus,
} from '@postern/contracts';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { WorkspaceStatuses } from './workspace-status.js';

/** Not derived from a contract, because every service knows a part of it. */
@Controller('dashboard/api/status')
export class WorkspaceStatusController {
  constructor(private readonly statuses: WorkspaceStatuses) {}

  @Get()
  @RequiresSession()
  @Describes({
    operation: 'Status.get',
    operationId: 'getStatus',
    requests: [listEmailServices, listPlatformProblems, listEmailProblems, listWebhookProblems, listSenderProblems],
    reply: workspaceStatus,
    summary: 'Get what needs somebody in the workspace, each with what to do',
    description:
      'Failed deployments, crashing web services, failing webhooks, domains that are not verified, limits and full databases. `problems` is empty when nothing is wrong.',
  })
  get(@CurrentSession() session: Session): Promise<WorkspaceStatus> {
    return this.statuses.of(session.workspaceId, session);
  }
}
