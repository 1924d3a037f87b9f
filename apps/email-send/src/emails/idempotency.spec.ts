import { describe, expect, it } from '@jest/globals';
import { refusalOfRepeat } from './idempotency.js';

const now = new Date('2026-03-04T10:20:30.000Z');
const earlier = {
  emailId: '01900000-0000-7000-8000-000000000001',
  fingerprint: 'same',
  isAnswered: true,
};

describe('a second request under one Idempotency-Key', () => {
  it('with the same values gets the first answer again', () =>
    expect(refusalOfRepeat(earlier, 'same', now)).toBeUndefined());

  it('with another body is refused, even while the first is in progress', () => {
    expect(refusalOfRepeat(earlier, 'other', now)).toMatchObject({ code: 'idempotency_key_reused' });
    expect(refusalOfRepeat({ ...earlier, isAnswered: false }, 'other', now)).toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('must wait a second while the first is in progress and its client waits', () => {
    const waiting = { ...earlier, isAnswered: false, answerBy: new Date(now.getTime() + 10_000) };
    expect(refusalOfRepeat(waiting, 'same', now)).toMatchObject({
      code: 'idempotency_key_in_flight',
      details: { retry_after_s: 1 },
    });
  });

  it('is refused with an unknown outcome after the deadline of the first', () => {
    const given = { ...earlier, isAnswered: false, answerBy: new Date(now.getTime() - 1) };
    expect(refusalOfRepeat(given, 'same', now)).toMatchObject({
      code: 'outcome_unknown',
      details: { email_id: earlier.emailId },
    });
  });
});
