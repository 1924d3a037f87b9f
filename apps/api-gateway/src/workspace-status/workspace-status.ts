import { Injectable } from '@nestjs/common';
import {
  listEmailProblems,
  listEmailServices,
  listPlatformProblems,
  listSenderProblems,
  listWebhookProblems,
  type WorkspaceStatus,
  workspaceStatusFrom,
} from '@postern/contracts';
import { isUnanswered, type RequestContext } from '@postern/messaging';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

/** Asks every service what is wrong in a workspace. A service that does not respond hides nothing of the others. */
@Injectable()
export class WorkspaceStatuses {
  constructor(private readonly services: ServiceClient) {}

  async of(workspaceId: string, context: RequestContext): Promise<WorkspaceStatus> {
    const workspace = { workspace_id: workspaceId };
    const services = this.services
      .request(listEmailServices, workspace, context)
      .then(all => all.map(({ id, name }) => ({ id, name })));
    return workspaceStatusFrom(
      {
        platform: this.services.request(listPlatformProblems, workspace, context),
        emailServices: this.services.request(listEmailProblems, workspace, context),
        webhooks: services.then(of => this.services.request(listWebhookProblems, { services: of }, context)),
        messages: services.then(of => this.services.request(listSenderProblems, { services: of }, context)),
      },
      isUnanswered,
    );
  }
}
