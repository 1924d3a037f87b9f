import { getAccountMailFacts, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AccountDirectory } from '../users/ports.js';
import { Workspaces } from './workspaces.projection.js';

/** Returns the address of a user and the name of a workspace, for mail about them. */
@Handles(getAccountMailFacts)
export class GetAccountMailFacts {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly workspaces: Workspaces,
  ) {}

  async execute(request: RequestOf<typeof getAccountMailFacts>): Promise<ReplyOf<typeof getAccountMailFacts>> {
    const email = await this.accounts.addressOf(request.user_id);
    const workspace = request.workspace_id === undefined ? undefined : await this.workspaces.find(request.workspace_id);
    return { email: email ?? null, workspace_name: workspace?.name ?? null };
  }
}
