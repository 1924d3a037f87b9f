import { describe, expect, it } from '@jest/globals';
import {
  asSentence,
  counted,
  formatBytes,
  formatRate,
  formatSpan,
  formatTime,
  formatWait,
  formatWords,
  lastDays,
} from './formatting.js';

describe('a rate', () => {
  it.each([
    [null, '–'],
    [0, '0 %'],
    [1, '100 %'],
    [0.875, '87.5 %'],
    [0.001, '0.10 %'],
  ])('%p is shown as %p', (rate, shown) => expect(formatRate(rate)).toBe(shown));
});

describe('an amount of memory', () => {
  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [268_435_456, '256 MiB'],
    [1_073_741_824, '1 GiB'],
  ])('of %p bytes is shown as %p', (bytes, shown) => expect(formatBytes(bytes)).toBe(shown));
});

describe('a span of time', () => {
  it.each([
    ['03:04:05.900', '0 s'],
    ['03:04:50', '44 s'],
    ['03:05:10', '1 min 4 s'],
    ['05:06:06', '2 h 2 min'],
  ])('that ends at %p is told as %p', (end, told) =>
    expect(formatSpan('2030-01-02T03:04:06Z', `2030-01-02T${end}Z`)).toBe(told),
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
  ])('of %p s is told as %p', (seconds, told) => expect(formatWait(seconds)).toBe(told));
});

describe('words of the API', () => {
  it('become sentences', () => {
    expect(asSentence('e-mail address or password is wrong')).toBe('E-mail address or password is wrong.');
    expect(asSentence('Sign in first.')).toBe('Sign in first.');
  });

  it('keep the name of a field as it is', () =>
    expect(asSentence('workspace_name: must not be empty')).toBe('workspace_name: must not be empty.'));

  it('keep a name that they begin with as it is', () =>
    expect(asSentence('shop.example.net is already a domain')).toBe('shop.example.net is already a domain.'));

  it('lose the underscores of states', () => expect(formatWords('handed_over')).toBe('Handed over'));
});

describe('numbers and times', () => {
  it('are counted with their noun', () =>
    expect([counted(1, 'event'), counted(2_000, 'event')]).toEqual(['1 event', '2,000 events']));

  it('are told in the time zone of the reader', () =>
    expect(formatTime('2026-03-09T23:30:00.000Z', 'Europe/Berlin')).toBe('10 Mar 2026, 00:30:00'));

  it('reach back over the turn of a month, today included', () =>
    expect(lastDays(30, new Date('2026-03-01T00:00:01Z'))).toEqual({ from: '2026-01-31', to: '2026-03-01' }));
});
