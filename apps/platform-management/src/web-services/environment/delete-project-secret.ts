import { deleteProjectSecret, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ProjectOwners } from '../../projects/ports.js';
import { NamedValueRepository } from './named-value-repository.js';

/** Deletes a secret of a project together with its value. */
@Handles(deleteProjectSecret)
export class DeleteProjectSecret {
  constructor(
    private readonly projects: ProjectOwners,
    private readonly values: NamedValueRepository,
  ) {}

  async execute(request: RequestOf<typeof deleteProjectSecret>): Promise<ReplyOf<typeof deleteProjectSecret>> {
    const { project_id, secret_id } = request;
    await this.projects.requireOwner(request, project_id);
    await this.values.delete('project_secrets', project_id, secret_id);
    return { id: secret_id, deleted: true };
  }
}
