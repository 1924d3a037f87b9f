/** The resources that a caller can access: those of the workspace, or of some of its projects. */
export interface Reach {
  readonly user_id: string;
  /** Absent from gateways of an earlier release, which send only the user. */
  readonly workspace_id?: string | undefined;
  /** Set only for a platform key that is restricted to projects. */
  readonly project_ids?: readonly string[] | undefined;
}

interface OwnedProject {
  readonly id: string;
  readonly userId: string;
  readonly workspaceId: string;
}

/** Condition for a query on `projects p`: `$1` user, `$2` workspace, `$3` projects of a restricted key. */
export const IS_REACHED = `(p.workspace_id = $2 OR $2::uuid IS NULL AND p.user_id = $1)
  AND ($3::uuid[] IS NULL OR p.id = ANY ($3))`;

/** The same condition for a known workspace. Without the OR, PostgreSQL plans a list once instead of on each call. */
export const IS_IN_WORKSPACE = `$1::uuid IS NOT NULL AND p.workspace_id = $2::uuid
  AND ($3::uuid[] IS NULL OR p.id = ANY ($3))`;

/** Returns the first three values of a query with `IS_REACHED` or `IS_IN_WORKSPACE`. */
export const reachValues = ({ user_id, workspace_id, project_ids }: Reach) =>
  [user_id, workspace_id ?? null, project_ids ?? null] as const;

/** A list of accessible resources: the query for a caller of a workspace, and for gateways that send only the user. */
export interface ReachedList {
  readonly name: string;
  readonly ofWorkspace: string;
  readonly ofUser: string;
}

/** Returns the prepared statement of a list. */
export const listOf = ({ name, ofWorkspace, ofUser }: ReachedList, reach: Reach) => ({
  ...(reach.workspace_id === undefined ? { name: `${name}-of-user`, text: ofUser } : { name, text: ofWorkspace }),
  values: [...reachValues(reach)],
});

/** Whether a caller can access a project. */
export const reaches = ({ user_id, workspace_id, project_ids }: Reach, project: OwnedProject): boolean =>
  (workspace_id === undefined ? project.userId === user_id : project.workspaceId === workspace_id) &&
  (project_ids === undefined || project_ids.includes(project.id));
