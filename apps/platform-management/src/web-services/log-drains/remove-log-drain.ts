import { type ReplyOf, type RequestOf, removeLogDrain } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { LogDrains } from './log-drains.js';

/** Deletes a log drain with its secrets. */
@Handles(removeLogDrain)
export class RemoveLogDrain {
  constructor(
    private readonly owners: WebServices,
    private readonly drains: LogDrains,
  ) {}

  async execute(request: RequestOf<typeof removeLogDrain>): Promise<ReplyOf<typeof removeLogDrain>> {
    const { web_service_id: webServiceId, drain_id: id } = request;
    await this.owners.requireOwner(request, webServiceId);
    await this.drains.remove(webServiceId, id);
    return { id, deleted: true };
  }
}
