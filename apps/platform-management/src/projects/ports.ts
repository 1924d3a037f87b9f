import type { ProjectChanges } from './project.js';
import { type Reach, reaches } from './reached-projects.js';
import { projectNotFound } from './refusals.js';

export interface ProjectOwner {
  readonly userId: string;
  readonly workspaceId: string;
}

/** Tells who owns a project. */
export abstract class ProjectOwners {
  readonly #known = new Map<string, ProjectOwner>();

  abstract ownerOf(projectId: string): Promise<ProjectOwner | undefined>;

  /** Refuses with `project_not_found` unless the caller reaches the project. */
  async requireOwner(caller: Reach, projectId: string): Promise<ProjectOwner> {
    const owner = await this.ownerOf(projectId);
    if (!owner || !reaches(caller, { ...owner, id: projectId })) throw projectNotFound();
    return owner;
  }

  /** Whether the caller reaches the project of a resource that exists. Its owner never changes, so it is read once. */
  async isReached(caller: Reach, projectId: string): Promise<boolean> {
    const owner = this.#known.get(projectId) ?? (await this.ownerOf(projectId));
    if (!owner) return false;
    this.#known.set(projectId, owner);
    return reaches(caller, { ...owner, id: projectId });
  }
}

/** Writes projects: their events, and the values of their secrets that go with them. */
export abstract class ProjectRepository {
  /** Refuses with `project_not_found`. Resolves once the read model shows the change. */
  abstract change(projectId: string, changes: ProjectChanges): Promise<void>;
  /** Refuses with `project_not_empty` while the project has web services. Deletes the values of its secrets. */
  abstract remove(projectId: string, owner: ProjectOwner): Promise<void>;
}

export { projectNotFound };
