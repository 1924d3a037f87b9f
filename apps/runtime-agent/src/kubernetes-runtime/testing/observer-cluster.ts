import { Cluster } from '../cluster.js';

/** The cluster as a test looks at it, which may read more than the platform does. */
export class ObserverCluster extends Cluster {
  protected override allows(): boolean {
    return true;
  }
}
