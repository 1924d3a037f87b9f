import { expect, it } from '@jest/globals';
import { Backoff } from './backoff.js';

const take = (backoff: Backoff, count: number) => Array.from({ length: count }, () => backoff.next());

it('An exponential backoff doubles its delays up to a maximum and starts again after a success', () => {
  const backoff = Backoff.exponential({ firstMs: 100, maxMs: 500 });
  expect(take(backoff, 5)).toEqual([100, 200, 400, 500, 500]);
  backoff.reset();
  expect(backoff.next()).toBe(100);
});

it('Jitter varies a delay between half and one and a half', () => {
  const delays = take(Backoff.exponential({ firstMs: 100, maxMs: 100, jitter: true }), 1_000);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(50);
  expect(Math.max(...delays)).toBeLessThan(150);
  expect(new Set(delays).size).toBeGreaterThan(100);
});

it('A schedule repeats its last delay', () => {
  expect(take(Backoff.schedule([5, 30, 600]), 5)).toEqual([5, 30, 600, 600, 600]);
});

const HOUR_MS = 3_600_000;

it('A pause ends when its signal aborts', async () => {
  await Backoff.exponential({ firstMs: HOUR_MS, maxMs: HOUR_MS }).pause(AbortSignal.timeout(10));
});
