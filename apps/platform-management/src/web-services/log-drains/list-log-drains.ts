import { listLogDrains, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { logDrainReply } from './log-drain-reply.js';
import { LogDrains } from './log-drains.js';

/** Lists the log drains of a web service, oldest first. */
@Handles(listLogDrains)
export class ListLogDrains {
  constructor(
    private readonly owners: WebServices,
    private readonly drains: LogDrains,
  ) {}

  async execute(request: RequestOf<typeof listLogDrains>): Promise<ReplyOf<typeof listLogDrains>> {
    await this.owners.requireOwner(request, request.web_service_id);
    return (await this.drains.list(request.web_service_id)).map(logDrainReply);
  }
}
