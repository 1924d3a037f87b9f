import type { DatabaseLimits } from '@postern/runtime';

/** The limits of a small database. */
export const STARTER: DatabaseLimits = {
  cpuMillicores: 250,
  memoryBytes: 256 * 1024 ** 2,
  storageBytes: 1024 ** 3,
  connections: 20,
};
