import type { MetricsHistory, WebService } from '@postern/contracts';

type Point = MetricsHistory['points'][number];

/** The limits of one instance unless the operator or the web service sets others. */
export const DEFAULT_SIZE = { memory_mib: 512, cpu_millicores: 1_000 } as const;
/** A smaller percentage is too coarse to derive the limit from it. */
const MEASURABLE_PERCENT = 1;
const MIB = 2 ** 20;
const CPU_STEP = 50;
const MEMORY_STEP = 16 * MIB;

/**
 * The limits of one instance: those of the web service, otherwise those derived from the usage in percent, otherwise the
 * defaults.
 */
export const instanceLimits = (instance: WebService['instance'], points: readonly Point[]) => ({
  cpuMillicores:
    instance?.cpu_millicores ??
    measured(points, ({ cpu, instances }) => ({ used: cpu.millicores, percent: cpu.percent, instances }), CPU_STEP) ??
    DEFAULT_SIZE.cpu_millicores,
  memoryBytes:
    (instance && instance.memory_mib * MIB) ??
    measured(
      points,
      ({ memory, instances }) => ({ used: memory.bytes, percent: memory.percent, instances }),
      MEMORY_STEP,
    ) ??
    DEFAULT_SIZE.memory_mib * MIB,
});

interface Share {
  readonly used: number;
  readonly percent: number;
  readonly instances: number;
}

const measured = (points: readonly Point[], shareOf: (point: Point) => Share, step: number): number | undefined => {
  const highest = points
    .map(shareOf)
    .reduce<Share | undefined>((a, b) => (a && a.percent >= b.percent ? a : b), undefined);
  if (!highest || highest.percent < MEASURABLE_PERCENT) return undefined;
  const limit = (highest.used * 100) / highest.percent / Math.max(1, highest.instances);
  return Math.max(step, Math.round(limit / step) * step);
};
