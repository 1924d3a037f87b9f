import { listRuns, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { Runs, runReply } from './runs.js';

/** Lists the one-off commands of a web service, newest first. */
@Handles(listRuns)
export class ListRuns {
  constructor(
    private readonly owners: WebServices,
    private readonly runs: Runs,
  ) {}

  async execute(request: RequestOf<typeof listRuns>): Promise<ReplyOf<typeof listRuns>> {
    const { web_service_id, limit, offset } = request;
    await this.owners.requireOwner(request, web_service_id);
    const { items, total } = await this.runs.list(web_service_id, { limit, offset });
    return { items: items.map(runReply), total, limit, offset };
  }
}
