import { expect, it } from '@jest/globals';
import { PLAN_OPTIONS } from './plan-options.js';

it('The plans of a new database are offered with their limits, smallest first', () => {
  expect(PLAN_OPTIONS[0]).toEqual(['starter', 'Starter: 250 mCPU, 256 MiB memory, 1 GiB disk']);
  expect(PLAN_OPTIONS.map(([plan]) => plan)).toEqual(['starter', 'basic', 'standard', 'large']);
});
