import { describe, expect, it } from '@jest/globals';
import { DAY_MS, forecastOf, forecastText, growthOf, type Sample } from './forecast.js';
import { fullFinding } from './full-finding.js';

const NOW = new Date('2026-11-28T00:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const sample = (days: number, gigabytes: number): Sample => ({
  at: daysAgo(days).toISOString(),
  bytes: { 'database of email-send': gigabytes * 0.75e9, backups: gigabytes * 0.25e9 },
});
const facts = { freeBytes: 20e9, retentionDays: 90, createdAt: daysAgo(400), now: NOW };

describe('The growth', () => {
  it('is that of the last seven days, in bytes a day', () =>
    expect(growthOf([sample(20, 0), sample(7, 10), sample(3, 11), sample(0, 17)])).toBe(1e9));

  it('begins with a sample of a week ago that is some minutes older', () =>
    expect(growthOf([sample(7.01, 10), sample(6.9, 16), sample(0, 17.01)])).toBeCloseTo(1e9, -8));

  it('is that of the parts without a bound', () => {
    const [before, now] = [sample(7, 10), sample(0, 17)];
    const withLog = { ...now, bytes: { ...now.bytes, 'write-ahead log': 1e9, 'mail queue': 1e9 } };
    expect(growthOf([before, withLog])).toBe(1e9);
  });

  it('is unknown for less than a day', () => {
    expect(growthOf([])).toBeUndefined();
    expect(growthOf([sample(0.5, 1), sample(0, 2)])).toBeUndefined();
  });
});

describe('The forecast', () => {
  const growing = [sample(7, 10), sample(0, 17)];

  it('says when the disk is full', () =>
    expect(forecastText(forecastOf(growing, facts), facts.freeBytes)).toBe(
      'It grows by 1.0 GB a day: full on 2026-12-18.',
    ));

  it('ends with the growth, when as many messages are deleted as are sent', () => {
    const young = { ...facts, createdAt: daysAgo(80) };
    const forecast = forecastOf(growing, young);
    expect(forecast.fullAt).toBeUndefined();
    expect(forecastText(forecast, facts.freeBytes)).toMatch(/until 2026-12-08, when the first messages are deleted/);
    expect(forecastOf(growing, { ...young, createdAt: daysAgo(60) }).fullAt).toEqual(new Date('2026-12-18T00:00:00Z'));
  });

  it('has no date for data that shrinks', () =>
    expect(forecastText(forecastOf([sample(7, 10), sample(0, 9)], facts), 1)).toBe('It does not grow.'));

  it.each([
    [50e9, 'good'],
    [20e9, 'warning'],
    [5e9, 'bad'],
  ] as const)('is, with %d bytes free, %s', (freeBytes, verdict) => {
    const forecast = forecastOf(growing, { ...facts, freeBytes });
    expect(fullFinding({ forecast, freeBytes, sample: sample(0, 17) }, NOW).verdict).toBe(verdict);
  });
});
