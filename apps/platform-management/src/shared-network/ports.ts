/** On a machine that does not separate the networks of web services, only one workspace may run its code. */
export abstract class SharedNetwork {
  /** Why the code of this workspace may not run; undefined if it may. */
  abstract refusalFor(workspaceId: string): Promise<string | undefined>;
}
