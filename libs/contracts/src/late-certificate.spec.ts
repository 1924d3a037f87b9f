import { describe, expect, it } from '@jest/globals';
import { isCertificateLate } from './late-certificate.js';

const from = new Date('2030-01-01T00:00:00.000Z');
const after = (days: number) => new Date(from.getTime() + days * 86_400_000);

describe('a certificate', () => {
  it.each([
    ['of 90 days is renewed in time until 14 days are left', 90, 75.9, 76.1],
    ['of 6 days until one day is left', 6, 4.9, 5.1],
    ['of a year until 14 days are left', 365, 350.9, 351.1],
  ])('%s', (_, lifetime, inTime, late) => {
    expect(isCertificateLate(from, after(lifetime), after(inTime))).toBe(false);
    expect(isCertificateLate(from, after(lifetime), after(late))).toBe(true);
  });

  it('that has ended is late', () => expect(isCertificateLate(from, after(90), after(91))).toBe(true));
});
