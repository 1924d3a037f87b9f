import { Controller } from '@nestjs/common';
import { createProject, getProject, listProjects, type ReplyOf, type RequestOf } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { CreateProject } from './create-project.js';
import { Projects } from './projects.projection.js';

/** Projects of a user. */
@Controller()
export class ProjectsController {
  constructor(
    private readonly projects: Projects,
    private readonly creating: CreateProject,
  ) {}

  @HandlesRequest(listProjects)
  list({ user_id }: RequestOf<typeof listProjects>): Promise<ReplyOf<typeof listProjects>> {
    return this.projects.ofUser(user_id);
  }

  @HandlesRequest(createProject)
  create(request: RequestOf<typeof createProject>): Promise<ReplyOf<typeof createProject>> {
    return this.creating.execute(request);
  }

  @HandlesRequest(getProject)
  get({ user_id, project_id }: RequestOf<typeof getProject>): Promise<ReplyOf<typeof getProject>> {
    return this.projects.get(user_id, project_id);
  }
}
