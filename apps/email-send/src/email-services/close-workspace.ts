import { closeWorkspace, type ReplyOf, type RequestOf } from '@postern/contracts';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { workspace, workspaceStream } from '../workspaces/workspace.js';
import { EmailServices } from './email-services.projection.js';
import { emailServicesLock } from './owned-email-service.js';

/** Closes a workspace that is being deleted, unless it has email services. The count is exact, even during creations. */
@Handles(closeWorkspace)
export class CloseWorkspace {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly services: EmailServices,
  ) {}

  async execute(request: RequestOf<typeof closeWorkspace>): Promise<ReplyOf<typeof closeWorkspace>> {
    const { workspace_id: workspaceId, closing_id: closingId } = request;
    if (closingId === undefined) return { email_services: await this.services.countOf(workspaceId) };
    const at = new Date().toISOString();
    const command = { kind: 'close' as const, workspaceId, closingId, emailServices: 0, at };
    const limit = {
      lock: emailServicesLock(workspaceId),
      check: async () => {
        command.emailServices = await this.services.countOf(workspaceId);
      },
    };
    await this.transactions.execute({ decider: workspace, streamId: workspaceStream(workspaceId), command, limit });
    return { email_services: command.emailServices };
  }
}
