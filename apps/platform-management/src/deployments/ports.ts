/** Deployments that wait for a slot to build, in the order of their turns. */
export abstract class BuildQueue {
  /** The web services of the deployments. */
  abstract turns(): Promise<readonly string[]>;
  /** The place of each deployment, from 1. */
  abstract positions(): Promise<ReadonlyMap<string, number>>;
}
