import { followRun, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { logPageReply } from '../../infrastructure/runtime/log-page-reply.js';
import { WebServices } from '../services/web-services.projection.js';
import { runNotFound } from './refusals.js';
import { firstLineTime, instanceOf, Runs } from './runs.js';

/** Returns the next lines of a one-off command for streaming. */
@Handles(followRun)
export class FollowRun {
  constructor(
    private readonly owners: WebServices,
    private readonly runs: Runs,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof followRun>): Promise<ReplyOf<typeof followRun>> {
    const { web_service_id, run_id, after, max_lines: maxLines, max_bytes: maxBytes } = request;
    await this.owners.requireOwner(request, web_service_id);
    // Read before the lines: all output of a run that has ended is stored.
    const run = await this.runs.find(web_service_id, run_id);
    if (!run) throw runNotFound();
    const page = await this.runtime.logPage(web_service_id, {
      ...{ after, tail: maxLines, maxLines, maxBytes },
      ...{ instance: instanceOf(run_id), since: firstLineTime(run.createdAt) },
    });
    return { ...logPageReply(page), is_over: run.finishedAt !== null && !page.hasMore };
  }
}
