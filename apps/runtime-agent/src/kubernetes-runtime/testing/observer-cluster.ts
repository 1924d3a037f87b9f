import { Cluster } from '../cluster.js';

/** The cluster client of a test, which may read more than the platform. */
export class ObserverCluster extends Cluster {
  protected override allows(): boolean {
    return true;
  }
}
