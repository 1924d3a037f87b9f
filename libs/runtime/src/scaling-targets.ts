import type { AutoscalingSettings } from './service-plan.js';

/** In percent of the CPU limit of an instance. */
export const DEFAULT_CPU_PERCENT = 70;

/** The targets for the number of instances; of the CPU if the settings have none. */
export const scalingTargets = (
  { cpuPercent, memoryPercent, requestsPerSecond }: AutoscalingSettings = {},
  defaultCpuPercent = DEFAULT_CPU_PERCENT,
): Omit<AutoscalingSettings, 'idleMinutes'> =>
  (cpuPercent ?? memoryPercent ?? requestsPerSecond)
    ? { cpuPercent, memoryPercent, requestsPerSecond }
    : { cpuPercent: defaultCpuPercent };
