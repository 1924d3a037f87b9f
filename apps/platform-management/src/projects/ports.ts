import { type Reach, reaches } from './reached-projects.js';
import { projectNotFound } from './refusals.js';

export interface ProjectOwner {
  readonly workspaceId: string;
}

/** Looks up the owners of projects. */
export abstract class ProjectOwners {
  readonly #known = new Map<string, ProjectOwner>();

  abstract ownerOf(projectId: string): Promise<ProjectOwner | undefined>;

  /** Refuses with `project_not_found` unless the caller can access the project. */
  async requireOwner(caller: Reach, projectId: string): Promise<ProjectOwner> {
    const owner = await this.ownerOf(projectId);
    if (!owner || !reaches(caller, { ...owner, id: projectId })) throw projectNotFound();
    return owner;
  }

  /** Whether the caller can access the project of an existing resource. The owner of a project never changes, so it is read once. */
  async isReached(caller: Reach, projectId: string): Promise<boolean> {
    const owner = this.#known.get(projectId) ?? (await this.ownerOf(projectId));
    if (!owner) return false;
    this.#known.set(projectId, owner);
    return reaches(caller, { ...owner, id: projectId });
  }
}

export { projectNotFound };
