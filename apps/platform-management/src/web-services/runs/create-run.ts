import { createRun, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import { ProjectOwners } from '../../projects/ports.js';
import { refuseFlagged } from '../services/aggregate/refusals.js';
import { requireStorable } from '../services/storable-text.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { placesOf, Runs, releaseToRun, runReply } from './runs.js';

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
    const { web_service_id: webServiceId, command } = request;
    await this.owners.requireOwner(request, webServiceId);
    requireStorable('command', command);
    const state = await this.webServices.stateOf(webServiceId);
    refuseFlagged(state);
    const release = releaseToRun(state);
    if (!release) throw new Refusal('nothing_to_run', 'no successful deployment to run; create one first');
    if (!(await this.runtime.features()).has('runs')) {
      throw new Refusal('runs_not_supported', 'this installation does not support commands');
    }
    const { workspaceId } = await this.projects.requireOwner(request, state.projectId!);
    const limit = this.usage.limitOf(workspaceId, placesOf(release));
    return runReply(await this.runs.create(limit, { id: uuidv7(), webServiceId, command, release }));
  }
}
