import { deleteProject, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ProjectOwners } from './ports.js';
import { ProjectRepository } from './project-repository.js';

/** Deletes an empty project together with its secrets. */
@Handles(deleteProject)
export class DeleteProject {
  constructor(
    private readonly repository: ProjectRepository,
    private readonly owners: ProjectOwners,
  ) {}

  async execute(request: RequestOf<typeof deleteProject>): Promise<ReplyOf<typeof deleteProject>> {
    const id = request.project_id;
    await this.repository.remove(id, await this.owners.requireOwner(request, id));
    return { id, deleted: true };
  }
}
