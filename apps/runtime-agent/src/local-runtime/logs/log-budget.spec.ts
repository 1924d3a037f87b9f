import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LogBudget } from './log-budget.js';

describe('The budget of a log', () => {
  it('admits a burst of four seconds at once, then the rate', () => {
    const budget = new LogBudget({ linesPerSecond: 10, bytesPerSecond: 1_000_000 }, 0);
    const admitted = (now: number) => Array.from({ length: 100 }, () => budget.admits(1, now)).filter(Boolean).length;

    expect([admitted(0), admitted(0), admitted(500), admitted(1_500)]).toEqual([40, 0, 5, 10]);
  });

  it('never admits more lines or bytes than burst and rate allow', () =>
    fc.assert(
      fc.property(fc.array(fc.record({ bytes: fc.nat(500), afterMs: fc.nat(300) }), { maxLength: 300 }), sequence => {
        const rate = { linesPerSecond: 20, bytesPerSecond: 2_000 };
        const budget = new LogBudget(rate, 0);
        let now = 0;
        let lines = 0;
        let bytes = 0;
        for (const step of sequence) {
          now += step.afterMs;
          if (!budget.admits(step.bytes, now)) continue;
          lines += 1;
          bytes += step.bytes;
        }
        const seconds = 4 + now / 1_000;
        expect(lines).toBeLessThanOrEqual(Math.ceil(rate.linesPerSecond * seconds));
        expect(bytes).toBeLessThanOrEqual(Math.ceil(rate.bytesPerSecond * seconds));
      }),
    ));
});
