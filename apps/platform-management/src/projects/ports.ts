import { Refusal } from '@postern/contracts';

/** Tells who owns a project. */
export abstract class ProjectOwners {
  abstract ownerOf(projectId: string): Promise<string | undefined>;

  /** Refuses with `project_not_found` unless the user owns the project. */
  async requireOwner(userId: string, projectId: string): Promise<void> {
    if ((await this.ownerOf(projectId)) !== userId) throw projectNotFound();
  }
}

export const projectNotFound = (): Refusal => new Refusal('project_not_found', 'there is no such project');
