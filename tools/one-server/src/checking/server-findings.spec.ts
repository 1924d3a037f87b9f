import { describe, expect, it } from '@jest/globals';
import { judgeCopy } from './server-findings.js';

const NOW = Date.parse('2026-11-27T18:00:00Z');
const before = (minutes: number): Date => new Date(NOW - minutes * 60_000);

describe('The line "backup copy"', () => {
  it.each([
    [before(2), 'good', 'in the bucket until 2 minutes ago'],
    [before(16), 'bad', 'in the bucket until 16 minutes ago'],
    [undefined, 'warning', 'nothing is in the bucket yet'],
  ])('after a copy at %s is %s', (copiedAt, verdict, found) =>
    expect(judgeCopy(copiedAt, NOW)).toMatchObject({ verdict, found }),
  );
});
