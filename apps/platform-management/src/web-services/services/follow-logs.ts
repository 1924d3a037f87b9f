import { followLogs, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { logPageReply } from '../../infrastructure/runtime/log-page-reply.js';
import { WebServices } from './web-services.projection.js';

/** Returns the next lines of a log for streaming. */
@Handles(followLogs)
export class FollowLogs {
  constructor(
    private readonly webServices: WebServices,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof followLogs>): Promise<ReplyOf<typeof followLogs>> {
    await this.webServices.requireOwner(request, request.web_service_id);
    const { web_service_id, after, tail, max_lines: maxLines, max_bytes: maxBytes } = request;
    return logPageReply(await this.runtime.logPage(web_service_id, { after, tail, maxLines, maxBytes }));
  }
}
