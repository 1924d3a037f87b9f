import { getMembership, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { workspaceNotFound } from './workspace.js';
import { Workspaces } from './workspaces.projection.js';

/** Returns the role of a user in a workspace. Refuses users who do not belong to it. */
@Handles(getMembership)
export class GetMembership {
  constructor(private readonly directory: Workspaces) {}

  async execute({ user_id, id }: RequestOf<typeof getMembership>): Promise<ReplyOf<typeof getMembership>> {
    const role = await this.directory.roleOf(user_id, id);
    if (!role) throw workspaceNotFound();
    return { role };
  }
}
