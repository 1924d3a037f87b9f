import { createRun, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime, type TerminalOrder } from '@postern/runtime';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import { ProjectOwners } from '../../projects/ports.js';
import { refuseFlagged } from '../services/aggregate/refusals.js';
import { requireStorable } from '../services/storable-text.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { placesOf, Runs, releaseToRun, runReply, type StoredRun } from './runs.js';

/** Queues a one-off command with the live release. */
@Handles(createRun)
export class CreateRun {
  constructor(
    private readonly owners: WebServices,
    private readonly webServices: WebServiceRepository,
    private readonly projects: ProjectOwners,
    private readonly usage: WorkspaceUsage,
    private readonly runtime: Runtime,
    private readonly runs: Runs,
  ) {}

  async execute(request: RequestOf<typeof createRun>): Promise<ReplyOf<typeof createRun>> {
    return runReply(await this.create(request, request.command));
  }

  /** @param terminal set for a shell. */
  async create(
    request: Omit<RequestOf<typeof createRun>, 'command'>,
    command: string,
    terminal?: TerminalOrder,
  ): Promise<StoredRun> {
    const { web_service_id: webServiceId } = request;
    await this.owners.requireOwner(request, webServiceId);
    requireStorable('command', command);
    const state = await this.webServices.stateOf(webServiceId);
    refuseFlagged(state);
    const release = releaseToRun(state);
    if (!release) throw new Refusal('nothing_to_run', 'no successful deployment to run; create one first');
    const features = await this.runtime.features();
    if (!features.has('runs') && !terminal) {
      throw new Refusal('runs_not_supported', 'this installation does not support commands');
    }
    if (terminal && !features.has('terminals')) {
      const message =
        'this installation does not support shells: in Kubernetes, use kubectl exec; on one machine, install Perl';
      throw new Refusal('terminals_not_supported', message);
    }
    const { workspaceId } = await this.projects.requireOwner(request, state.projectId!);
    const limit = this.usage.limitOf(workspaceId, placesOf(release));
    const run = { id: uuidv7(), webServiceId, command, release };
    return this.runs.create(limit, { ...run, ...(terminal && { terminal }) });
  }
}
