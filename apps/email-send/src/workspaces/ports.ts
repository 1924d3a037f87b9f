/** The workspaces in which email services may be created. */
export abstract class Workspaces {
  /**
   * Opens a workspace that an attempt to delete it has closed, if that attempt has failed. Waits for one in progress, so
   * that the caller must hold no lock that closes workspaces.
   */
  abstract reopen(workspaceId: string): Promise<void>;
  /** Refuses `workspace_not_found` for a closed workspace; exact under the lock that closes workspaces. */
  abstract requireOpen(workspaceId: string): Promise<void>;
}

/** What platform-management knows of workspaces. */
export abstract class WorkspaceDirectory {
  /** Waits for a deletion in progress. */
  abstract isDeleted(workspaceId: string): Promise<boolean>;
}
