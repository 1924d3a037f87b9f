import { getWorkspaceOwners, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { OwnerMailSources } from './owner-mail-sources.js';

/** Returns the present owners of a workspace for mail about its email services. */
@Handles(getWorkspaceOwners)
export class GetWorkspaceOwners {
  constructor(private readonly sources: OwnerMailSources) {}

  async execute({ workspace_id }: RequestOf<typeof getWorkspaceOwners>): Promise<ReplyOf<typeof getWorkspaceOwners>> {
    return { recipients: [...(await this.sources.ownersOf(workspace_id))] };
  }
}
