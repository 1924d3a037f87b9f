import { describe, expect, it } from '@jest/globals';
import {
  historyWindow,
  MINUTES_KEPT_SECONDS,
  SAMPLE_SECONDS,
  SAMPLES_KEPT_SECONDS,
  sampleTime,
  usageReply,
} from './metrics.js';

const now = new Date('2026-03-04T05:06:37.891Z');

describe('the history of metrics', () => {
  it.each([
    [60, 15, '2026-03-04T05:05:45.000Z'],
    [3600, 15, '2026-03-04T04:06:45.000Z'],
    [86_400, 300, '2026-03-03T05:10:00.000Z'],
    [604_800, 3600, '2026-02-25T06:00:00.000Z'],
  ])('of %d seconds has a point every %d seconds, starting at %s', (period, step, from) =>
    expect(historyWindow(period, now)).toEqual({ step, from: new Date(from) }),
  );

  it('has at most 300 points, and at least 75 for a period above 75 minutes', () => {
    for (let period = 60; period <= MINUTES_KEPT_SECONDS; period += 601) {
      const { step, from } = historyWindow(period, now);
      const points = Math.floor((now.getTime() - from.getTime()) / 1000 / step) + 1;
      expect(points).toBeLessThanOrEqual(300);
      if (period > 4500) expect(points).toBeGreaterThanOrEqual(75);
      expect(from.getTime() % (step * 1000)).toBe(0);
    }
  });

  it('uses samples only for periods within their retention', () => {
    for (let period = 60; period <= MINUTES_KEPT_SECONDS; period += 60)
      if (historyWindow(period, now).step < 60) expect(period).toBeLessThan(SAMPLES_KEPT_SECONDS);
  });
});

describe('a sample', () => {
  it('begins at a multiple of 15 seconds', () => {
    expect(SAMPLE_SECONDS).toBe(15);
    expect(sampleTime(now)).toEqual(new Date('2026-03-04T05:06:30.000Z'));
    expect(sampleTime(new Date('2026-03-04T05:06:45.000Z'))).toEqual(new Date('2026-03-04T05:06:45.000Z'));
  });

  it('is returned in whole bytes and instances', () =>
    expect(
      usageReply({
        cpuMillicores: 12.3456,
        cpuPercent: 1.23456,
        memoryBytes: 1000.6,
        memoryPercent: 0,
        instances: 0.3,
      }),
    ).toEqual({ cpu: { millicores: 12.35, percent: 1.23 }, memory: { bytes: 1001, percent: 0 }, instances: 1 }));
});
