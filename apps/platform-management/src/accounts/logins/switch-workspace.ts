import { Refusal, type ReplyOf, type RequestOf, switchWorkspace } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Sessions } from '../sessions/sessions.js';
import { AccountDirectory } from '../users/ports.js';

/** Switches a session to another workspace of its user; refuses workspaces the user does not belong to. */
@Handles(switchWorkspace)
export class SwitchWorkspace {
  constructor(
    private readonly sessions: Sessions,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({
    token_hash,
    workspace_id,
  }: RequestOf<typeof switchWorkspace>): Promise<ReplyOf<typeof switchWorkspace>> {
    const session = await this.sessions.find(token_hash);
    const account = session && (await this.accounts.find(session.userId));
    if (!account) throw new Refusal('session_invalid', 'the session is unknown or has expired; sign in again');
    const workspace = account.workspaces.find(({ id }) => id === workspace_id);
    if (!workspace) throw new Refusal('workspace_not_found', 'there is no such workspace');
    await this.sessions.switchWorkspace(token_hash, workspace_id);
    return { id: workspace.id, name: workspace.name };
  }
}
