/** The resources that a caller can access: those of the workspace, or of some of its projects. */
export interface Reach {
  readonly workspace_id: string;
  /** Set only for a platform key that is restricted to projects. */
  readonly project_ids?: readonly string[] | undefined;
}

interface OwnedProject {
  readonly id: string;
  readonly workspaceId: string;
}

/** Condition for a query on `projects p`: `$1` workspace, `$2` projects of a restricted key. */
export const IS_REACHED = 'p.workspace_id = $1::uuid AND ($2::uuid[] IS NULL OR p.id = ANY ($2))';

/** Returns the first two values of a query with `IS_REACHED`. */
export const reachValues = ({ workspace_id, project_ids }: Reach) => [workspace_id, project_ids ?? null] as const;

/** Whether a caller can access a project. */
export const reaches = ({ workspace_id, project_ids }: Reach, project: OwnedProject): boolean =>
  project.workspaceId === workspace_id && (project_ids === undefined || project_ids.includes(project.id));
