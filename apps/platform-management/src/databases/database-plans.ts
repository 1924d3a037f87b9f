import { Refusal } from '@postern/contracts/refusal';

/** What a database may use at most. */
export interface DatabaseLimits {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
  readonly connections: number;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** The plans on offer, smallest first. */
export const DATABASE_PLANS: Readonly<Record<string, DatabaseLimits>> = {
  starter: { cpuMillicores: 250, memoryBytes: 256 * MIB, storageBytes: GIB, connections: 20 },
  basic: { cpuMillicores: 500, memoryBytes: 512 * MIB, storageBytes: 5 * GIB, connections: 50 },
  standard: { cpuMillicores: 1000, memoryBytes: GIB, storageBytes: 10 * GIB, connections: 100 },
  large: { cpuMillicores: 2000, memoryBytes: 4 * GIB, storageBytes: 50 * GIB, connections: 200 },
};

/** The limits of a plan by its name; throws the refusal `invalid_input` that names the plans there are. */
export const limitsOfPlan = (plan: string): DatabaseLimits => {
  const limits = Object.hasOwn(DATABASE_PLANS, plan) ? DATABASE_PLANS[plan] : undefined;
  if (!limits) {
    const known = Object.keys(DATABASE_PLANS).join(', ');
    throw new Refusal('invalid_input', `plan: there is no plan of this name; choose one of ${known}`);
  }
  return limits;
};
