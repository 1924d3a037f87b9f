/** Deletes workspaces: their events and dependent rows. */
export abstract class WorkspaceDeletions {
  /**
   * Resolves once the read models contain the deletion.
   * @throws the refusals `workspace_not_found`, `role_insufficient` and `workspace_not_empty`;
   * `ServiceUnavailable` if email-send does not respond.
   */
  abstract delete(workspaceId: string, actorId: string): Promise<void>;
  /** Waits for a deletion in progress. */
  abstract isDeleted(workspaceId: string): Promise<boolean>;
}

/** The email services of workspaces, stored in email-send. */
export abstract class WorkspaceEmailServices {
  abstract countOf(workspaceId: string): Promise<number>;
  /**
   * Closes a workspace without email services: creations in it are refused from now on.
   * @returns the number of email services; unless it is 0, the workspace is not closed.
   */
  abstract close(workspaceId: string, closingId: string): Promise<number>;
}
