/** The limits of a database. */
export interface DatabaseLimits {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
  readonly connections: number;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** The available plans, smallest first. */
export const DATABASE_PLANS: Readonly<Record<string, DatabaseLimits>> = {
  starter: { cpuMillicores: 250, memoryBytes: 256 * MIB, storageBytes: GIB, connections: 20 },
  basic: { cpuMillicores: 500, memoryBytes: 512 * MIB, storageBytes: 5 * GIB, connections: 50 },
  standard: { cpuMillicores: 1000, memoryBytes: GIB, storageBytes: 10 * GIB, connections: 100 },
  large: { cpuMillicores: 2000, memoryBytes: 4 * GIB, storageBytes: 50 * GIB, connections: 200 },
};
