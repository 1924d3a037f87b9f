import { changeWebService, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import { ProjectOwners } from '../../projects/ports.js';
import type { Settings } from './aggregate/events.js';
import { WebServiceSettings } from './ports.js';
import { requireFeatures, withoutAbsent } from './required-features.js';
import { placesFor, SIZES } from './service-sizes.js';
import { branchName } from './source/branch-name.js';
import { repositoryUrl } from './source/repository-url.js';
import { requireStorable } from './storable-text.js';
import { WebServiceRepository } from './web-service-repository.js';
import { WebServices } from './web-services.projection.js';

type Request = RequestOf<typeof changeWebService>;

/** Changes the settings of a web service and returns it. */
@Handles(changeWebService)
export class ChangeWebService {
  constructor(
    private readonly repository: WebServiceRepository,
    private readonly projects: ProjectOwners,
    private readonly usage: WorkspaceUsage,
    private readonly settings: WebServiceSettings,
    private readonly runtime: Runtime,
    private readonly webServices: WebServices,
  ) {}

  async execute(request: Request): Promise<ReplyOf<typeof changeWebService>> {
    const { web_service_id: id } = request;
    const { userId } = await this.webServices.requireOwner(request, id);
    const changes = this.#changesIn(request);
    await requireFeatures(this.runtime, changes);
    const command = { kind: 'change', userId, changes, at: new Date().toISOString() } as const;
    await this.repository.change(await this.#limitOf(request, changes), id, command);
    return this.webServices.require(id, request);
  }

  #changesIn(request: Request): Partial<Settings> {
    const { web_service_id: _, user_id: __, workspace_id: ___, project_ids: ____, ...changes } = request;
    const { git_repository_url: url, branch, root_directory, watch_paths, build_args } = changes;
    for (const field of ['name', 'build_command', 'start_command', 'release_command'] as const)
      requireStorable(field, changes[field]);
    return withoutAbsent({
      ...changes,
      ...(url !== undefined && {
        git_repository_url: url && repositoryUrl(url, { allowFiles: this.settings.allowFileRepositories }),
      }),
      ...(branch && { branch: branchName(branch) }),
      root_directory: root_directory === '' ? null : root_directory,
      watch_paths: watch_paths === null ? [] : watch_paths,
      build_args: build_args === null ? {} : build_args,
    });
  }

  /** Limits instances, memory and disks by the quotas of the workspace; a reduction is always allowed. */
  async #limitOf(request: Request, changes: Partial<Settings>) {
    if (!SIZES.some(name => changes[name] !== undefined)) return undefined;
    const { id, project_id } = await this.webServices.require(request.web_service_id, request);
    const { workspaceId } = await this.projects.requireOwner(request, project_id);
    return this.usage.limitOf(workspaceId, async () => placesFor(await this.repository.stateOf(id), changes));
  }
}
