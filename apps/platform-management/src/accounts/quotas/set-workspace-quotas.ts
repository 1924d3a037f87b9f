import { Refusal, type ReplyOf, type RequestOf, setWorkspaceQuotas } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { AccountDirectory } from '../users/ports.js';
import { workspace, workspaceStream } from '../workspaces/workspace.js';
import { workspaceQuotasReply } from './workspace-quotas-reply.js';
import { WorkspaceUsage } from './workspace-usage.js';

/** Sets limits of a workspace for an operator. Existing resources above a lower limit stay. */
@Handles(setWorkspaceQuotas)
export class SetWorkspaceQuotas {
  constructor(
    private readonly streams: Streams,
    private readonly accounts: AccountDirectory,
    private readonly usage: WorkspaceUsage,
  ) {}

  async execute(request: RequestOf<typeof setWorkspaceQuotas>): Promise<ReplyOf<typeof setWorkspaceQuotas>> {
    const { actor_id: actorId, id, quotas: changes } = request;
    const actor = await this.accounts.find(actorId);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can set quotas');
    const command = { kind: 'set-quotas', changes, actorId, at: new Date().toISOString() } as const;
    await this.streams.execute(workspace, workspaceStream(id), command);
    return workspaceQuotasReply(await this.usage.overridesOf(id), await this.usage.usageOf(id));
  }
}
