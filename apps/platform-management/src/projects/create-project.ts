import { createProject, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { project, projectStream } from './project.js';

/** Creates a project in the caller's workspace. */
@Handles(createProject)
export class CreateProject {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly usage: WorkspaceUsage,
  ) {}

  async execute(request: RequestOf<typeof createProject>): Promise<ReplyOf<typeof createProject>> {
    if (request.project_ids) {
      throw new Refusal(
        'operation_not_allowed',
        'a platform key that is restricted to projects cannot create projects',
      );
    }
    const id = uuidv7();
    const at = new Date().toISOString();
    const { name, description = null } = request;
    const limit = this.usage.limitOf(request.workspace_id, { projects: 1 });
    await this.transactions.execute({
      decider: project,
      streamId: projectStream(id),
      limit,
      command: {
        kind: 'create',
        projectId: id,
        userId: request.user_id,
        workspaceId: request.workspace_id,
        name,
        description,
        at,
      },
    });
    return { id, name, description, created_at: at };
  }
}
