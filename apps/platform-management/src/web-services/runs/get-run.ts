import { getRun, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { WebServices } from '../services/web-services.projection.js';
import { runNotFound } from './refusals.js';
import { CLOCKS_DIFFER_S, firstLineTime, instanceOf, Runs, runReply } from './runs.js';

const MAX_LINES = 1_000;

/** Returns a one-off command with the end of its output. */
@Handles(getRun)
export class GetRun {
  constructor(
    private readonly owners: WebServices,
    private readonly runs: Runs,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof getRun>): Promise<ReplyOf<typeof getRun>> {
    const { web_service_id, run_id } = request;
    await this.owners.requireOwner(request, web_service_id);
    const run = await this.runs.find(web_service_id, run_id);
    if (!run) throw runNotFound();
    if (!run.startedAt) return { ...runReply(run), lines: [] };
    const lines = await this.runtime.logs(web_service_id, {
      tail: MAX_LINES,
      since: firstLineTime(run.startedAt),
      until: run.finishedAt ? run.finishedAt.getTime() / 1_000 + CLOCKS_DIFFER_S : undefined,
      instance: instanceOf(run_id),
    });
    return {
      ...runReply(run),
      lines: lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line })),
    };
  }
}
