import { createWorkspace, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceRepository } from './workspace-repository.js';

/** Creates an additional workspace with its creator as the owner. Refuses unknown users. */
@Handles(createWorkspace)
export class CreateWorkspace {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  async execute({ user_id, name }: RequestOf<typeof createWorkspace>): Promise<ReplyOf<typeof createWorkspace>> {
    const workspace = { id: uuidv7(), name };
    await this.workspaces.create(user_id, workspace);
    return workspace;
  }
}
