/** The workspaces in which email services may be created. */
export abstract class Workspaces {
  /**
   * Opens a workspace that a failed deletion has closed. Waits for a deletion in progress, so the caller must not hold the
   * lock that closes workspaces.
   */
  abstract reopen(workspaceId: string): Promise<void>;
  /** Refuses `workspace_not_found` for a closed workspace; exact under the lock that closes workspaces. */
  abstract requireOpen(workspaceId: string): Promise<void>;
}

/** The workspaces of platform-management. */
export abstract class WorkspaceDirectory {
  /** Waits for a deletion in progress. */
  abstract isDeleted(workspaceId: string): Promise<boolean>;
}

/** The people who are mailed about the email services of a workspace. */
export abstract class WorkspaceOwners {
  /** The addresses of the present owners who can log in and have not turned off such mail. */
  abstract addressesIn(workspaceId: string): Promise<readonly string[]>;
}
