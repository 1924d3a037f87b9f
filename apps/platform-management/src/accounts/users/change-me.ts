import { Inject } from '@nestjs/common';
import { changeMe, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { PlatformManagementConfig } from '../../config.js';
import { findMe } from './get-me.js';
import { AccountDirectory } from './ports.js';
import { UserRepository } from './user-repository.js';

/** Lets users turn mail about their own workspaces on or off. */
@Handles(changeMe)
export class ChangeMe {
  constructor(
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'requireSecondFactor'>,
  ) {}

  async execute(request: RequestOf<typeof changeMe>): Promise<ReplyOf<typeof changeMe>> {
    const { service_mails: serviceMails, status_mails: statusMails } = request;
    if (serviceMails === undefined && statusMails === undefined)
      throw new Refusal('invalid_input', 'send service_mails, status_mails or both');
    await this.users.setMails(request.user_id, {
      ...(serviceMails !== undefined && { serviceMails }),
      ...(statusMails !== undefined && { statusMails }),
    });
    return findMe(this.accounts, this.config, request);
  }
}
