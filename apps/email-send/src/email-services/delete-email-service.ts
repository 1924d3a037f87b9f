import { deleteEmailService, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { EmailServiceDeletions } from './ports.js';

/** Deletes an email service. When this returns, every replica rejects its keys; its data is deleted afterwards. */
@Handles(deleteEmailService)
export class DeleteEmailService {
  constructor(private readonly deletions: EmailServiceDeletions) {}

  async execute(request: RequestOf<typeof deleteEmailService>): Promise<ReplyOf<typeof deleteEmailService>> {
    await this.deletions.delete({ workspaceId: request.workspace_id, serviceId: request.service_id });
    return { id: request.service_id, deleted: true };
  }
}
