import { Refusal } from '@postern/contracts';
import { type Reach, reaches } from './reached-projects.js';

export interface ProjectOwner {
  readonly userId: string;
  readonly workspaceId: string;
}

/** Tells who owns a project. */
export abstract class ProjectOwners {
  abstract ownerOf(projectId: string): Promise<ProjectOwner | undefined>;

  /** Refuses with `project_not_found` unless the caller reaches the project. */
  async requireOwner(caller: Reach, projectId: string): Promise<ProjectOwner> {
    const owner = await this.ownerOf(projectId);
    if (!owner || !reaches(caller, { ...owner, id: projectId })) throw projectNotFound();
    return owner;
  }
}

export const projectNotFound = (): Refusal => new Refusal('project_not_found', 'there is no such project');
