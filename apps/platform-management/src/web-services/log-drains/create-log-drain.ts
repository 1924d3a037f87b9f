import { createLogDrain, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { OutboundGuard } from '@postern/outbound';
import { Runtime } from '@postern/runtime';
import { WebServices } from '../services/web-services.projection.js';
import { acceptTarget } from './drain-target.js';
import { logDrainReply } from './log-drain-reply.js';
import { LogDrains } from './log-drains.js';

/** Creates a log drain that begins at the end of the log. Refuses URLs that are not publicly reachable. */
@Handles(createLogDrain)
export class CreateLogDrain {
  constructor(
    private readonly owners: WebServices,
    private readonly drains: LogDrains,
    private readonly runtime: Runtime,
    private readonly guard: OutboundGuard,
  ) {}

  async execute(request: RequestOf<typeof createLogDrain>): Promise<ReplyOf<typeof createLogDrain>> {
    const { web_service_id: webServiceId, kind } = request;
    await this.owners.requireOwner(request, webServiceId);
    const target = await acceptTarget(request, this.guard);
    const last = { after: undefined, tail: 1, maxLines: 1, maxBytes: 1, counted: true };
    const { next: cursor, counts } = await this.runtime.logPage(webServiceId, last);
    const start = { cursor, linesBefore: counts?.before ?? 0 };
    return logDrainReply(await this.drains.create(webServiceId, kind, target, start));
  }
}
