import { Inject } from '@nestjs/common';
import { getMe, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { PlatformManagementConfig } from '../../config.js';
import { accountReply } from './account-reply.js';
import { AccountDirectory } from './ports.js';

/** Returns the user of a session and its active workspace. */
@Handles(getMe)
export class GetMe {
  constructor(
    private readonly accounts: AccountDirectory,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'requireSecondFactor'>,
  ) {}

  async execute(request: RequestOf<typeof getMe>): Promise<ReplyOf<typeof getMe>> {
    return findMe(this.accounts, this.config, request);
  }
}

/** @throws the refusal `user_not_found`. */
export const findMe = async (
  accounts: AccountDirectory,
  config: Pick<PlatformManagementConfig, 'requireSecondFactor'>,
  { user_id, workspace_id }: RequestOf<typeof getMe>,
): Promise<ReplyOf<typeof getMe>> => {
  const account = await accounts.find(user_id);
  const active = account?.workspaces.find(workspace => workspace.id === workspace_id);
  if (!account || !active) throw new Refusal('user_not_found', 'there is no such user');
  const { serviceMails, statusMails } = await accounts.mailsOf(user_id);
  return {
    ...accountReply(account),
    active_workspace: { id: active.id, name: active.name, role: active.role },
    service_mails: serviceMails,
    status_mails: statusMails,
    second_factor_missing: config.requireSecondFactor && !(await accounts.hasSecondFactor(user_id)),
  };
};
