import { getMe, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { accountReply } from './account-reply.js';
import { AccountDirectory } from './ports.js';

/** Returns the user of a session and its active workspace. */
@Handles(getMe)
export class GetMe {
  constructor(private readonly accounts: AccountDirectory) {}

  execute(request: RequestOf<typeof getMe>): Promise<ReplyOf<typeof getMe>> {
    return findMe(this.accounts, request);
  }
}

/** @throws the refusal `user_not_found`. */
export const findMe = async (
  accounts: AccountDirectory,
  { user_id, workspace_id }: RequestOf<typeof getMe>,
): Promise<ReplyOf<typeof getMe>> => {
  const account = await accounts.find(user_id);
  const active = account?.workspaces.find(workspace => workspace.id === workspace_id);
  if (!account || !active) throw new Refusal('user_not_found', 'there is no such user');
  return {
    ...accountReply(account),
    active_workspace: { id: active.id, name: active.name, role: active.role },
    service_mails: await accounts.getsServiceMails(user_id),
  };
};
