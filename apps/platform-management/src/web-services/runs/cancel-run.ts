import { cancelRun, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { runNotFound } from './refusals.js';
import { Runs, runReply } from './runs.js';

/** Cancels a one-off command; the leading replica ends it. */
@Handles(cancelRun)
export class CancelRun {
  constructor(
    private readonly owners: WebServices,
    private readonly runs: Runs,
  ) {}

  async execute(request: RequestOf<typeof cancelRun>): Promise<ReplyOf<typeof cancelRun>> {
    const { web_service_id, run_id } = request;
    await this.owners.requireOwner(request, web_service_id);
    const cancelled = await this.runs.cancel(web_service_id, run_id);
    if (cancelled) return runReply(cancelled);
    if (!(await this.runs.find(web_service_id, run_id))) throw runNotFound();
    throw new Refusal('run_over', 'the run has ended');
  }
}
