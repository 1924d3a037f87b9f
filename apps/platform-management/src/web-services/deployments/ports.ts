/** Deployments that wait for a build slot, in their order. */
export abstract class BuildQueue {
  /** The web services of the deployments, without duplicates. */
  abstract webServiceIds(): Promise<readonly string[]>;
  /** The position of each deployment by its id, starting at 1. */
  abstract positions(): Promise<ReadonlyMap<string, number>>;
}
