import { Injectable } from '@nestjs/common';
import {
  type CheckedPart,
  listEmailProblems,
  listEmailServices,
  listPlatformProblems,
  listSenderProblems,
  listWebhookProblems,
  type Problem,
  type WorkspaceStatus,
  workspaceStatusOf,
} from '@postern/contracts';
import { RemoteFault, type RequestContext, ServiceUnavailable } from '@postern/messaging';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

type Found = Promise<{ readonly problems: readonly Problem[] }>;

/** Asks every service what is wrong in a workspace. A service that does not respond hides nothing of the others. */
@Injectable()
export class WorkspaceStatuses {
  constructor(private readonly services: ServiceClient) {}

  async of(workspaceId: string, context: RequestContext): Promise<WorkspaceStatus> {
    const workspace = { workspace_id: workspaceId };
    const services = this.services
      .request(listEmailServices, workspace, context)
      .then(all => all.map(({ id, name }) => ({ id, name })));
    const parts: Readonly<Record<string, Found>> = {
      'Web services and databases': this.services.request(listPlatformProblems, workspace, context),
      'Email services': this.services.request(listEmailProblems, workspace, context),
      Webhooks: services.then(of => this.services.request(listWebhookProblems, { services: of }, context)),
      Messages: services.then(of => this.services.request(listSenderProblems, { services: of }, context)),
    };
    const answers = await Promise.all(
      Object.entries(parts).map(([part, found]) =>
        found.then(({ problems }) => ({ part, problems })).catch(error => unanswered(part, error)),
      ),
    );
    return workspaceStatusOf(answers);
  }
}

const unanswered = (part: string, error: unknown): CheckedPart => {
  if (error instanceof ServiceUnavailable || error instanceof RemoteFault) return { part };
  throw error;
};
