import { describe, expect, it } from '@jest/globals';
import { type Demand, SCALING, Scaling, type ScalingBounds } from './scaling.js';

const bounds: ScalingBounds = { minInstances: 1, maxInstances: 3 };
const IDLE: Demand = { cpuPercent: 0, memoryPercent: 0, requestsPerSecond: 0 };
const STEP_MS = 10_000;

/** The instance counts that follow from one reading every ten seconds. */
const countsOf = (demands: readonly Partial<Demand>[], start = 1, within = bounds): number[] => {
  const scaling = new Scaling(SCALING);
  let instances = start;
  return demands.map((demand, step) => {
    instances = scaling.decide({ ...IDLE, ...demand }, instances, within, step * STEP_MS);
    return instances;
  });
};

/** The same for readings of the CPU. */
const counts = (percents: readonly number[], start = 1, within = bounds): number[] =>
  countsOf(
    percents.map(cpuPercent => ({ cpuPercent })),
    start,
    within,
  );

const steady = (percent: number, steps: number): number[] => Array.from({ length: steps }, () => percent);

describe('scaling', () => {
  it('adds one instance after a minute above 70 % of the CPU limit', () =>
    expect(counts(steady(71, 7))).toEqual([1, 1, 1, 1, 1, 1, 2]));

  it('removes one instance after a minute below 30 %', () =>
    expect(counts(steady(29, 7), 3)).toEqual([3, 3, 3, 3, 3, 3, 2]));

  it('does not change the count in between', () => expect(new Set(counts(steady(50, 60), 2))).toEqual(new Set([2])));

  it('waits two minutes after a step before the next one', () => {
    const after = counts(steady(100, 40));
    expect(after.indexOf(2)).toBe(6);
    expect(after.indexOf(3)).toBe(18);
  });

  it('stays within the bounds of the service', () => {
    expect(Math.max(...counts(steady(100, 100)))).toBe(3);
    expect(Math.min(...counts(steady(0, 100), 3))).toBe(1);
    expect(new Set(counts(steady(100, 100), 2, { minInstances: 2, maxInstances: 2 }))).toEqual(new Set([2]));
  });

  it('ignores one short peak', () =>
    expect(new Set(counts([...steady(40, 6), 100, ...steady(40, 12)], 2))).toEqual(new Set([2])));

  describe('with targets', () => {
    const within = (autoscaling: ScalingBounds['autoscaling']): ScalingBounds => ({ ...bounds, autoscaling });
    const minute = (demand: Partial<Demand>) => Array.from({ length: 7 }, () => demand);

    it.each([
      ['cpu_percent', { cpuPercent: 40 }, { cpuPercent: 41 }],
      ['memory_percent', { memoryPercent: 80 }, { memoryPercent: 81 }],
      ['requests_per_second', { requestsPerSecond: 50 }, { requestsPerSecond: 51 }],
    ])('adds one instance above %s', (_name, targets, demand) => {
      expect(countsOf(minute(demand), 1, within(targets)).at(-1)).toBe(2);
      expect(countsOf(minute(targets), 1, within(targets)).at(-1)).toBe(1);
    });

    it('keeps the instances that one target needs, however little the others are used', () =>
      expect(countsOf(minute({ memoryPercent: 60 }), 2, within({ memoryPercent: 80 })).at(-1)).toBe(2));

    it('ignores the CPU if only others have a target', () => {
      const requests = within({ requestsPerSecond: 50 });
      expect(countsOf(minute({ cpuPercent: 100, requestsPerSecond: 40 }), 1, requests).at(-1)).toBe(1);
      expect(countsOf(minute({ cpuPercent: 100, requestsPerSecond: 1 }), 2, requests).at(-1)).toBe(1);
    });

    it('follows the CPU if the settings have no target', () =>
      expect(countsOf(minute({ cpuPercent: 71 }), 1, within({ idleMinutes: 5 })).at(-1)).toBe(2));
  });
});
