import { describe, expect, it } from '@jest/globals';
import { judgeQueue } from './mail-queue.js';
import { judgeCertificate } from './server-findings.js';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const queued = (hours: number) =>
  JSON.stringify({
    queue_name: 'deferred',
    arrival_time: NOW / 1_000 - hours * 3_600,
    recipients: [{ address: 'a@example.com', delay_reason: 'connection timed out' }],
  });
const judged = (...hours: number[]) => judgeQueue(`${hours.map(queued).join('\n')}\n`, NOW);

describe('The mail queue', () => {
  it('is good if it is empty, and if most messages are new', () => {
    expect(judgeQueue('', NOW)).toMatchObject({ verdict: 'good', found: 'empty' });
    expect(judged(0.1, 0.2, 30)).toMatchObject({ verdict: 'good', found: '3 messages, the oldest for 30.0 hours' });
  });

  it('is a warning with the reason if most messages wait for long, or many wait', () => {
    expect(judged(13, 30)).toMatchObject({ verdict: 'warning' });
    expect(judged(13, 30).found).toMatch(/oldest for 30\.0 hours: connection timed out$/);
    expect(judged(...Array.from({ length: 5_001 }, () => 0.1)).verdict).toBe('warning');
  });
});

describe('A certificate', () => {
  const certificate = (lifetimeDays: number, leftDays: number) =>
    judgeCertificate(
      {
        validFrom: new Date(NOW - (lifetimeDays - leftDays) * 86_400_000).toISOString(),
        validUntil: new Date(NOW + leftDays * 86_400_000).toISOString(),
        issuer: 'A',
        trusted: true,
      },
      NOW,
    ).verdict;

  it.each([
    [90, 31, 'good'],
    [90, 15, 'good'],
    [90, 13, 'warning'],
    [90, 0, 'bad'],
    [90, -1, 'bad'],
    [6, 2, 'good'],
    [6, 0.9, 'warning'],
    [1 / 24, 0.02, 'good'],
  ])('of %d days with %d days left is %s', (lifetime, left, verdict) =>
    expect(certificate(lifetime, left)).toBe(verdict),
  );
});
