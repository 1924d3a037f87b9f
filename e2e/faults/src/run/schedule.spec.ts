import { describe, expect, it } from '@jest/globals';
import { ALL_FAULTS } from '../faults/all-faults.js';
import { type Step, schedule } from './schedule.js';

const first = (count: number, seed: number): Step[] => {
  const steps = schedule(ALL_FAULTS, seed);
  return Array.from({ length: count }, () => steps.next().value);
};
const described = (steps: readonly Step[]) =>
  steps.map(({ pauseMs, first, second }) => [pauseMs, first.name, first.detail, second?.afterMs, second?.fault.detail]);

describe('the schedule of a run', () => {
  it('is the same for the same seed, and differs for another seed', () => {
    expect(described(first(100, 7))).toEqual(described(first(100, 7)));
    expect(described(first(100, 7))).not.toEqual(described(first(100, 8)));
  });

  it('has every fault once before it repeats one', () => {
    const names = first(ALL_FAULTS.length, 7).map(step => step.first.name);
    expect(names.toSorted()).toEqual(ALL_FAULTS.map(({ name }) => name).toSorted());
  });

  it('has second faults during recoveries, and only those that allow it', () => {
    const allowed = new Set(ALL_FAULTS.filter(({ canBeSecond }) => canBeSecond).map(({ name }) => name));
    const seconds = first(200, 7).flatMap(({ second }) => second?.fault.name ?? []);
    expect(seconds.length).toBeGreaterThan(20);
    expect(seconds.filter(name => !allowed.has(name))).toEqual([]);
  });
});
