import type { DatabaseLimits } from '@postern/runtime';

/** What a small database may use. */
export const STARTER: DatabaseLimits = {
  cpuMillicores: 250,
  memoryBytes: 256 * 1024 ** 2,
  storageBytes: 1024 ** 3,
  connections: 20,
};
