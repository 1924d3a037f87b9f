import { describe, expect, it } from '@jest/globals';
import { refusalOfRepeat } from './idempotency.js';

const earlier = { bodyHash: 'aa', isAnswered: true };

describe('a second request under one Idempotency-Key', () => {
  it('with the same body gets the first answer again', () => expect(refusalOfRepeat(earlier, 'aa')).toBeUndefined());

  it('with another body is refused', () =>
    expect(refusalOfRepeat(earlier, 'bb')).toMatchObject({ code: 'idempotency_key_reused' }));

  it('is asked to wait a second while the first is under way', () =>
    expect(refusalOfRepeat({ ...earlier, isAnswered: false }, 'aa')).toMatchObject({
      code: 'idempotency_key_in_flight',
      details: { retry_after_s: 1 },
    }));

  it('with another body is refused for that, even while the first is under way', () =>
    expect(refusalOfRepeat({ ...earlier, isAnswered: false }, 'bb')).toMatchObject({ code: 'idempotency_key_reused' }));
});
