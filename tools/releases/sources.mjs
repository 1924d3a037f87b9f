import { sourcesDigest, sourcesOf } from './sources-digest.mjs';
import { plansOf } from './version-plans.mjs';

/** What the contract check needs to know about the sources of each service of a checkout. */
export const sourcesIn = root => ({
  digest: service => sourcesDigest(root, service),
  paths: service => sourcesOf(root, service),
  hasPlan: service => plansOf(root, service).length > 0,
});
