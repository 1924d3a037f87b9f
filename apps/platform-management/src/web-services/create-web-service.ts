import { Injectable } from '@nestjs/common';
import { type createWebService, Refusal, type RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { ProjectOwners, WebServiceLedger, WebServiceSettings } from './ports.js';
import { branchName } from './source/branch-name.js';
import { repositoryUrl } from './source/repository-url.js';

/** A web service in one of the caller's own projects; nothing of it runs before its first deployment. */
@Injectable()
export class CreateWebService {
  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly projects: ProjectOwners,
    private readonly settings: WebServiceSettings,
  ) {}

  /** Answers the new service's id. */
  async execute(request: RequestOf<typeof createWebService>): Promise<string> {
    if (request.max_instances < request.min_instances) {
      throw new Refusal('invalid_input', 'max_instances: must not be below min_instances');
    }
    const url = repositoryUrl(request.git_repository_url, { allowFiles: this.settings.allowFileRepositories });
    const branch = request.branch ? branchName(request.branch) : null;
    for (const field of ['build_command', 'start_command'] as const) refuseUnstorable(field, request[field]);
    refuseUnstorable('name', request.name);
    if ((await this.projects.ownerOf(request.project_id)) !== request.user_id) {
      throw new Refusal('project_not_found', 'there is no such project');
    }
    const id = uuidv7();
    await this.ledger.execute(id, at => ({
      kind: 'create',
      web_service_id: id,
      user_id: request.user_id,
      project_id: request.project_id,
      name: request.name,
      git_repository_url: url,
      branch,
      build_command: request.build_command ?? null,
      start_command: request.start_command ?? null,
      health_check_path: request.health_check_path ?? null,
      port: request.port,
      min_instances: request.min_instances,
      max_instances: request.max_instances,
      environment: request.environment,
      at,
    }));
    return id;
  }
}

/** NUL and half surrogate pairs survive neither the database nor a command line. */
function refuseUnstorable(field: string, text: string | null | undefined): void {
  if (text && (text.includes('\0') || !text.isWellFormed())) {
    throw new Refusal('invalid_input', `${field}: must be well-formed Unicode without NUL`);
  }
}
