import { createWebService, INSTANCE_MEMORY_MIB, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import { ProjectOwners } from '../../projects/ports.js';
import { WebServiceSettings } from './ports.js';
import { requireFeatures, withoutAbsent } from './required-features.js';
import { branchName } from './source/branch-name.js';
import { requireOneSource } from './source/one-source.js';
import { repositoryUrl } from './source/repository-url.js';
import { requireStorable } from './storable-text.js';
import { WebServiceRepository } from './web-service-repository.js';
import { WebServices } from './web-services.projection.js';

/** Creates a web service in one of the caller's projects. It does not run before its first deployment. */
@Handles(createWebService)
export class CreateWebService {
  constructor(
    private readonly repository: WebServiceRepository,
    private readonly projects: ProjectOwners,
    private readonly settings: WebServiceSettings,
    private readonly webServices: WebServices,
    private readonly usage: WorkspaceUsage,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof createWebService>): Promise<ReplyOf<typeof createWebService>> {
    if (request.max_instances < request.min_instances) {
      throw new Refusal('invalid_input', 'max_instances: must not be below min_instances');
    }
    const { git_repository_url: address = null, image = null, port = null } = request;
    requireOneSource({ ...request, git_repository_url: address, image, port });
    const url = address && repositoryUrl(address, { allowFiles: this.settings.allowFileRepositories });
    const branch = request.branch ? branchName(request.branch) : null;
    for (const field of ['build_command', 'start_command', 'name'] as const) requireStorable(field, request[field]);
    const { health_check, first_byte_timeout_seconds, autoscaling, dockerfile_path, docker_target } = request;
    const build_args = request.build_args ?? undefined;
    const dockerfile = { dockerfile_path, docker_target, build_args };
    const optional = { image, health_check, first_byte_timeout_seconds, autoscaling, ...dockerfile };
    await requireFeatures(this.runtime, withoutAbsent(optional));
    const { workspaceId } = await this.projects.requireOwner(request, request.project_id);
    const id = uuidv7();
    const limit = this.usage.limitOf(workspaceId, {
      web_services: 1,
      instances: request.max_instances,
      memory_mib: request.max_instances * INSTANCE_MEMORY_MIB,
    });
    await this.repository.create(limit, {
      web_service_id: id,
      user_id: request.user_id,
      project_id: request.project_id,
      name: request.name,
      git_repository_url: url,
      ...(image && { image }),
      branch,
      build_command: request.build_command ?? null,
      start_command: request.start_command ?? null,
      health_check_path: request.health_check_path ?? null,
      port,
      min_instances: request.min_instances,
      max_instances: request.max_instances,
      environment: request.environment,
      ...(request.root_directory && { root_directory: request.root_directory }),
      ...(dockerfile_path && { dockerfile_path }),
      ...(docker_target && { docker_target }),
      ...(build_args && { build_args }),
      ...(health_check && { health_check }),
      ...(first_byte_timeout_seconds && { first_byte_timeout_seconds }),
      ...(autoscaling && { autoscaling }),
      ...(request.watch_paths?.length && { watch_paths: request.watch_paths }),
      ...(request.previews && { previews: true }),
      at: new Date().toISOString(),
    });
    return this.webServices.require(id, request);
  }
}
