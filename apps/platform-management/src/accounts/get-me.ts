import { Injectable } from '@nestjs/common';
import { type getMe, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { accountReply } from './account-reply.js';
import { AccountDirectory } from './ports.js';

/** The user behind a session and the workspace they act in. */
@Injectable()
export class GetMe {
  constructor(private readonly accounts: AccountDirectory) {}

  async execute({ user_id, workspace_id }: RequestOf<typeof getMe>): Promise<ReplyOf<typeof getMe>> {
    const account = await this.accounts.find(user_id);
    const active = account?.workspaces.find(workspace => workspace.id === workspace_id);
    if (!account || !active) throw new Refusal('user_not_found', 'there is no such user');
    return { ...accountReply(account), active_workspace: { id: active.id, name: active.name } };
  }
}
