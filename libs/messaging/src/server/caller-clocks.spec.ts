import { describe, expect, it } from '@jest/globals';
import { CallerClocks } from './caller-clocks.js';

const HOUR = 3_600_000;

describe.each([0, HOUR, -HOUR, 25 * HOUR])('a caller whose clock differs by %d ms', aheadMs => {
  it('sends requests that are not late', () => {
    const clocks = new CallerClocks();
    for (let now = 1e12; now < 1e12 + 60_000; now += 500)
      expect(clocks.delayOf('caller', now + aheadMs - 3, now, now)).toBe(0);
  });

  it('sends one that was held up, and its delay is known', () => {
    const clocks = new CallerClocks();
    clocks.delayOf('caller', 1e12 + aheadMs, 1e12 + 2, 2);
    expect(clocks.delayOf('caller', 1e12 + aheadMs + 100, 1e12 + 9_102, 9_102)).toBe(9_000);
  });
});

it('a caller whose clock is set back seems late for a short time only', () => {
  const clocks = new CallerClocks();
  clocks.delayOf('caller', 0, 1, 1);
  const delays = Array.from({ length: 40 }, (_, n) =>
    clocks.delayOf('caller', n * 500 - HOUR, n * 500 + 1, n * 500 + 1),
  );
  expect(delays[0]).toBe(HOUR);
  expect(delays.at(-1)).toBe(0);
});

it('a caller whose clock is set ahead is not late', () => {
  const clocks = new CallerClocks();
  clocks.delayOf('caller', 0, 1, 1);
  expect(clocks.delayOf('caller', HOUR, 2, 2)).toBe(0);
});

it('requests that waited while this process was suspended stay late, however many there are', () => {
  const clocks = new CallerClocks();
  clocks.delayOf('caller', 0, 1, 1);
  const resumed = 60_000;
  const delays = Array.from({ length: 100 }, (_, n) => clocks.delayOf('caller', n * 500, resumed + n, resumed + n));
  expect(Math.min(...delays)).toBeGreaterThan(9_000);
});
