import { describe, expect, it } from '@jest/globals';
import { millisecondsLeft } from './milliseconds-left.js';

const REQUESTED_AT = new Date('2026-01-01T10:00:00Z');
const afterMs = (ms: number) => new Date(REQUESTED_AT.getTime() + ms);

describe('the milliseconds until a deadline', () => {
  it.each([
    ['all at the request', 0, 5_000],
    ['what remains before the deadline', 4_999, 1],
    ['none at the deadline', 5_000, 0],
    ['none after the deadline', 60_000, 0],
  ])('are %s', (_, elapsedMs, left) => expect(millisecondsLeft(REQUESTED_AT, 5_000, afterMs(elapsedMs))).toBe(left));
});
