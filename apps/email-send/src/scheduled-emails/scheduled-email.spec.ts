import { describe, expect, it } from '@jest/globals';
import { Refusal } from '@postern/contracts';
import { afterError, consequenceOf, sendTimeOf } from './scheduled-email.js';

const NOW = new Date('2030-01-31T09:00:00Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);
const MINUTE = 60_000;
const DAY = 86_400_000;

describe('The time of a scheduled message', () => {
  it.each([MINUTE, 30 * DAY])('may be %d ms ahead', ms => {
    expect(sendTimeOf(after(ms).toISOString(), NOW)).toEqual(after(ms));
  });

  it('may have an offset', () => {
    expect(sendTimeOf('2030-01-31T12:30:00+02:00', NOW)).toEqual(after(90 * MINUTE));
  });

  it.each([
    [50_000, 'send_at: must be at least 1 minute in the future'],
    [-MINUTE, 'send_at: must be at least 1 minute in the future'],
    [30 * DAY + MINUTE, 'send_at: must be at most 30 days in the future'],
  ])('may not be %d ms ahead', (ms, message) => {
    expect(() => sendTimeOf(after(ms).toISOString(), NOW)).toThrow(message);
  });
});

describe('At its time, a message', () => {
  const consequence = (code: string, details = {}, now = NOW) =>
    consequenceOf(new Refusal(code, 'no', details), NOW, now);

  it.each(['invalid_email', 'recipient_not_verified', 'service_disabled'])('fails with the refusal %s', code => {
    expect(consequence(code)).toEqual({ kind: 'failed', error: 'no' });
  });

  it('fails when its API key was revoked', () => {
    expect(consequence('api_key_invalid')).toEqual({
      kind: 'failed',
      error: 'the API key that scheduled this message was revoked',
    });
  });

  it('waits for a limit, together with the other messages of its service', () => {
    const waits = { kind: 'retry', asNew: false, forService: true };
    expect(consequence('minute_limit_reached', { retry_after_s: 30 })).toEqual({ ...waits, at: after(30_000) });
    expect(consequence('daily_limit_reached', { retry_after_s: 80_000 })).toEqual({ ...waits, at: after(10 * MINUTE) });
  });

  it('is tried again as a new message if the relay refused it for now', () => {
    expect(consequence('relay_unavailable')).toEqual({
      kind: 'retry',
      asNew: true,
      forService: false,
      at: after(MINUTE),
    });
  });

  it('fails when that lasts for four hours', () => {
    const error = { kind: 'failed', error: 'no' };
    expect(consequence('relay_unavailable', {}, after(240 * MINUTE))).toEqual(error);
    expect(consequence('minute_limit_reached', {}, after(240 * MINUTE))).toEqual(error);
  });

  it('is asked for under the same id while its outcome is unknown', () => {
    const unknown = { kind: 'unknown', at: after(5_000) };
    expect(consequence('outcome_unknown', { email_id: 'a' })).toEqual(unknown);
    expect(afterError(NOW, NOW)).toEqual(unknown);
    expect(afterError(NOW, after(DAY))).toMatchObject({ kind: 'failed', mayBeSent: true });
  });
});
