import { Refusal } from '@postern/contracts';

export interface ProjectOwner {
  readonly userId: string;
  readonly workspaceId: string;
}

/** Tells who owns a project. */
export abstract class ProjectOwners {
  abstract ownerOf(projectId: string): Promise<ProjectOwner | undefined>;

  /** Refuses with `project_not_found` unless the user owns the project. */
  async requireOwner(userId: string, projectId: string): Promise<ProjectOwner> {
    const owner = await this.ownerOf(projectId);
    if (owner?.userId !== userId) throw projectNotFound();
    return owner;
  }
}

export const projectNotFound = (): Refusal => new Refusal('project_not_found', 'there is no such project');
