import { changeLogDrain, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { logDrainReply } from './log-drain-reply.js';
import { LogDrains } from './log-drains.js';

/** Enables or disables a log drain. An enabled one continues after the last line that was sent. */
@Handles(changeLogDrain)
export class ChangeLogDrain {
  constructor(
    private readonly owners: WebServices,
    private readonly drains: LogDrains,
  ) {}

  async execute(request: RequestOf<typeof changeLogDrain>): Promise<ReplyOf<typeof changeLogDrain>> {
    const { web_service_id: webServiceId, drain_id: id, enabled } = request;
    await this.owners.requireOwner(request, webServiceId);
    await this.drains.require(webServiceId, id);
    await this.drains.setEnabled(id, enabled);
    return logDrainReply(await this.drains.require(webServiceId, id));
  }
}
