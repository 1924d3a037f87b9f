import { describe, expect, it } from '@jest/globals';
import { poissonArrivals } from './arrivals.js';

describe('Arrivals of independent clients', () => {
  const arrivals = poissonArrivals(300, 20);
  const gaps = arrivals.map((at, place) => at - (arrivals[place - 1] ?? 0));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;

  it('have the requested rate', () => {
    expect(arrivals).toHaveLength(6_000);
    expect(1_000 / mean).toBeGreaterThan(285);
    expect(1_000 / mean).toBeLessThan(315);
  });

  it('have exponential gaps, whose deviation equals their mean', () => {
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(deviation / mean).toBeGreaterThan(0.95);
    expect(deviation / mean).toBeLessThan(1.05);
  });

  it('are the same in every run', () => expect(poissonArrivals(300, 20)).toEqual(arrivals));
});
