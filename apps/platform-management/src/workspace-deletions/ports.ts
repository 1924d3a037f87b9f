/** Deletes workspaces: their events, and the rows that go with them. */
export abstract class WorkspaceDeletions {
  /**
   * Resolves once the read models show it. @throws the refusals `workspace_not_found`, `role_insufficient` and
   * `workspace_not_empty`; `ServiceUnavailable` if email-send does not respond.
   */
  abstract delete(workspaceId: string, actorId: string): Promise<void>;
  /** Waits for a deletion in progress. */
  abstract isDeleted(workspaceId: string): Promise<boolean>;
}

/** The email services of workspaces, which email-send stores. */
export abstract class WorkspaceEmailServices {
  abstract countOf(workspaceId: string): Promise<number>;
  /**
   * Has creations in a workspace without email services refused from now on.
   * @returns how many it has; it is not closed then.
   */
  abstract close(workspaceId: string, closingId: string): Promise<number>;
}
