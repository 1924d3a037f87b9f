import { createEmailService, limitOf, quotaReached, type ReplyOf, type RequestOf } from '@postern/contracts';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { Workspaces } from '../workspaces/workspaces.js';
import { emailService, emailServiceStream } from './email-service.js';
import { EmailServices } from './email-services.projection.js';
import { emailServicesLock } from './owned-email-service.js';

/** Creates an email service in sandbox mode. */
@Handles(createEmailService)
export class CreateEmailService {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly services: EmailServices,
    private readonly workspaces: Workspaces,
  ) {}

  async execute(request: RequestOf<typeof createEmailService>): Promise<ReplyOf<typeof createEmailService>> {
    const { workspace_id, name } = request;
    const service_id = uuidv7();
    const limit = limitOf('email_services', request.workspace_quotas);
    await this.workspaces.reopen(workspace_id);
    const quota = {
      lock: emailServicesLock(workspace_id),
      check: async () => {
        await this.workspaces.requireOpen(workspace_id);
        if ((await this.services.countOf(workspace_id)) >= limit) throw quotaReached('email_services', limit);
      },
    };
    await this.transactions.execute({
      decider: emailService,
      streamId: emailServiceStream(service_id),
      limit: quota,
      command: {
        kind: 'create',
        serviceId: service_id,
        workspaceId: workspace_id,
        name,
        at: new Date().toISOString(),
      },
    });
    return this.services.get({ service_id, workspace_id });
  }
}
