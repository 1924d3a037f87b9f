import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteRate } from './byte-rate.js';

describe('A rate of bytes', () => {
  it('allows a burst, and then makes the sender wait for the excess', () => {
    const rate = new ByteRate(1_000, 0);
    rate.spend(2_000, 0);
    expect(rate.waitMs(0)).toBe(0);
    rate.spend(500, 0);
    expect([rate.waitMs(0), rate.waitMs(200), rate.waitMs(500)]).toEqual([500, 300, 0]);
    expect([rate.fullMs(500), rate.fullMs(2_000), rate.fullMs(2_500), rate.fullMs(9_000)]).toEqual([2_000, 500, 0, 0]);
  });

  it('is respected by every sender that waits, up to its last message', () =>
    fc.assert(
      fc.property(fc.array(fc.record({ bytes: fc.nat(5_000), pauseMs: fc.nat(3_000) }), { minLength: 1 }), messages => {
        const rate = new ByteRate(1_000, 0);
        let now = 0;
        let sent = 0;
        for (const { bytes, pauseMs } of messages) {
          now += pauseMs + rate.waitMs(now + pauseMs);
          expect(sent).toBeLessThanOrEqual(2_000 + now + 1);
          rate.spend(bytes, now);
          sent += bytes;
        }
      }),
    ));
});
