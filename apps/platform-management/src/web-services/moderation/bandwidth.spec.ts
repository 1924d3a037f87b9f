import { describe, expect, it } from '@jest/globals';
import { bandwidthExceeded, monthOf, monthsBefore } from './bandwidth.js';

describe('the month of the bandwidth usage', () => {
  it('changes at midnight in UTC', () => {
    expect(monthOf(new Date('2026-01-31T23:59:59.999Z'))).toBe('2026-01-01');
    expect(monthOf(new Date('2026-02-01T00:00:00.000Z'))).toBe('2026-02-01');
  });

  it('is counted back across years', () => {
    expect(monthsBefore(new Date('2026-03-31T12:00:00.000Z'), 1)).toBe('2026-02-01');
    expect(monthsBefore(new Date('2026-01-15T12:00:00.000Z'), 13)).toBe('2024-12-01');
  });
});

it('the reason of a suspension names the limit', () =>
  expect(bandwidthExceeded(100e9)).toBe('it used more than the 100 GB of traffic that a web service has in a month'));
