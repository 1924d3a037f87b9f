import { changeProject, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ProjectOwners } from './ports.js';
import { ProjectRepository } from './project-repository.js';
import { Projects } from './projects.projection.js';

/** Renames a project or changes its description, and returns it. */
@Handles(changeProject)
export class ChangeProject {
  constructor(
    private readonly repository: ProjectRepository,
    private readonly owners: ProjectOwners,
    private readonly projects: Projects,
  ) {}

  async execute(request: RequestOf<typeof changeProject>): Promise<ReplyOf<typeof changeProject>> {
    const { project_id: id, name, description } = request;
    await this.owners.requireOwner(request, id);
    await this.repository.change(id, {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
    });
    return this.projects.get(request);
  }
}
