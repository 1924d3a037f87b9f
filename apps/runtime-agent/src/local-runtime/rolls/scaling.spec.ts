import { describe, expect, it } from '@jest/globals';
import { SCALING, Scaling } from './scaling.js';

const bounds = { minInstances: 1, maxInstances: 3 };
const STEP_MS = 10_000;

/** The instance counts that follow from one CPU reading every ten seconds. */
const counts = (percents: readonly number[], start = 1, within = bounds): number[] => {
  const scaling = new Scaling(SCALING);
  let instances = start;
  return percents.map((percent, step) => {
    instances = scaling.decide(percent, instances, within, step * STEP_MS);
    return instances;
  });
};

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
});
