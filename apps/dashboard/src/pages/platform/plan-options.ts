import { DATABASE_PLANS } from '@postern/contracts/database-plans';
import { formatBytes, formatCount, formatLabel } from '../../formatting.js';

/** The plans of databases with their limits, as options of a select element. */
export const PLAN_OPTIONS: readonly (readonly [plan: string, label: string])[] = Object.entries(DATABASE_PLANS).map(
  ([plan, limits]) => [
    plan,
    `${formatLabel(plan)}: ${formatCount(limits.cpuMillicores)} mCPU, ${formatBytes(limits.memoryBytes)} memory, ${formatBytes(limits.storageBytes)} disk`,
  ],
);
