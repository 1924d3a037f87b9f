import { listRuns, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceOwners } from '../services/ports.js';
import { Runs, runReply } from './ports.js';

/** Lists the one-off commands of a web service, newest first. */
@Handles(listRuns)
export class ListRuns {
  constructor(
    private readonly owners: WebServiceOwners,
    private readonly runs: Runs,
  ) {}

  async execute(request: RequestOf<typeof listRuns>): Promise<ReplyOf<typeof listRuns>> {
    const { web_service_id, limit, offset } = request;
    await this.owners.requireOwner(request, web_service_id);
    const { items, total } = await this.runs.list(web_service_id, { limit, offset });
    return { items: items.map(runReply), total, limit, offset };
  }
}
