import { describe, expect, it } from '@jest/globals';
import {
  asSentence,
  counted,
  formatBytes,
  formatClock,
  formatDate,
  formatDuration,
  formatExactTime,
  formatLabel,
  formatRate,
  formatRelativeTime,
  formatTime,
  formatWait,
  lastDays,
} from './formatting.js';

describe('a rate', () => {
  it.each([
    [null, '–'],
    [0, '0%'],
    [1, '100%'],
    [0.875, '87.5%'],
    [0.001, '0.10%'],
  ])('%p is shown as %p', (rate, label) => expect(formatRate(rate)).toBe(label));
});

describe('a time of a timeline', () => {
  it('is a day and a time of day with milliseconds', () => {
    expect(formatDate('2026-03-09T23:30:00.125Z', 'Europe/Berlin')).toBe('10 Mar 2026');
    expect(formatClock('2026-03-09T23:30:00.125Z', 'Europe/Berlin')).toBe('00:30:00.125');
  });
});

describe('a number of bytes', () => {
  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [268_435_456, '256 MiB'],
    [1_073_741_824, '1 GiB'],
  ])('%p is shown as %p', (bytes, label) => expect(formatBytes(bytes)).toBe(label));
});

describe('a duration', () => {
  it.each([
    ['03:04:05.900', '0 s'],
    ['03:04:50', '44 s'],
    ['03:05:10', '1 min 4 s'],
    ['05:06:06', '2 h 2 min'],
  ])('that ends at %p is shown as %p', (end, label) =>
    expect(formatDuration('2030-01-02T03:04:06Z', `2030-01-02T${end}Z`)).toBe(label),
  );
});

describe('a wait', () => {
  it.each([
    [0, '1 second'],
    [45, '45 seconds'],
    [89.2, '90 seconds'],
    [91, '2 minutes'],
    [900, '15 minutes'],
    [7_200, '2 hours'],
  ])('of %p s is shown as %p', (seconds, label) => expect(formatWait(seconds)).toBe(label));
});

describe('a message of the API', () => {
  it('becomes a sentence', () => {
    expect(asSentence('incorrect email or password')).toBe('Incorrect email or password.');
    expect(asSentence('Sign in first.')).toBe('Sign in first.');
  });

  it('keeps a field name at its start', () =>
    expect(asSentence('workspace_name: must not be empty')).toBe('workspace_name: must not be empty.'));

  it('keeps a domain at its start', () =>
    expect(asSentence('shop.example.net is already a domain')).toBe('shop.example.net is already a domain.'));
});

describe('an API name', () => {
  it('is shown without underscores', () => expect(formatLabel('not_sent')).toBe('Not sent'));

  it('has its own label if there is one', () => expect(formatLabel('handed_over')).toBe('Sent to relay'));
});

describe('numbers and times', () => {
  it('include the noun in singular or plural', () =>
    expect([counted(1, 'event'), counted(2_000, 'event')]).toEqual(['1 event', '2,000 events']));

  it('use the given time zone', () =>
    expect(formatTime('2026-03-09T23:30:00.000Z', 'Europe/Berlin')).toBe('10 Mar 2026, 00:30:00'));

  it('include today and cross the end of a month', () =>
    expect(lastDays(30, new Date('2026-03-01T00:00:01Z'))).toEqual({ from: '2026-01-31', to: '2026-03-01' }));
});

describe('a time', () => {
  const now = Date.parse('2026-03-09T12:00:00Z');

  it.each([
    ['2026-03-09T11:59:40Z', 'just now'],
    ['2026-03-09T12:00:20Z', 'just now'],
    ['2026-03-09T11:57:10Z', '2 minutes ago'],
    ['2026-03-09T14:30:00Z', 'in 2 hours'],
    ['2026-03-08T11:00:00Z', 'yesterday'],
    ['2026-03-01T11:00:00Z', undefined],
  ])('%p is %p at noon', (timestamp, shown) => expect(formatRelativeTime(timestamp, now)).toBe(shown));

  it('has its zone in the exact form', () =>
    expect(formatExactTime('2026-03-09T11:00:00Z', 'UTC')).toBe('9 Mar 2026, 11:00:00 UTC'));
});
