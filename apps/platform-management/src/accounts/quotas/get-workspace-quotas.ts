import { getWorkspaceQuotas, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AccountDirectory } from '../users/ports.js';
import { workspaceNotFound } from '../workspaces/workspace.js';
import { Workspaces } from '../workspaces/workspaces.projection.js';
import { workspaceQuotasReply } from './workspace-quotas-reply.js';
import { WorkspaceUsage } from './workspace-usage.js';

/** Returns the limits and usage of a workspace to its members and to operators. */
@Handles(getWorkspaceQuotas)
export class GetWorkspaceQuotas {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly workspaces: Workspaces,
    private readonly usage: WorkspaceUsage,
  ) {}

  async execute({ actor_id, id }: RequestOf<typeof getWorkspaceQuotas>): Promise<ReplyOf<typeof getWorkspaceQuotas>> {
    const actor = await this.accounts.find(actor_id);
    const isMember = actor?.workspaces.some(workspace => workspace.id === id);
    if (!isMember && !(actor?.operator && (await this.workspaces.find(id)))) throw workspaceNotFound();
    return workspaceQuotasReply(await this.usage.overridesOf(id), await this.usage.usageOf(id));
  }
}
