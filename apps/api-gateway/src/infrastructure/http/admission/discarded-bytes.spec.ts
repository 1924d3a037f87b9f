import { describe, expect, it } from '@jest/globals';
import { MIB } from '@postern/contracts';
import { DiscardedBytes } from './discarded-bytes.js';

describe('Refused bodies of one client', () => {
  it('are discarded up to 16 MiB at once and 2 MiB per second, separately for each client', () => {
    const clock = { now: 0 };
    const discarded = new DiscardedBytes(() => clock.now);
    expect([discarded.add('a', 10 * MIB), discarded.add('a', 6 * MIB), discarded.add('a', 1)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(discarded.add('b', 1)).toBe(true);
    clock.now = 1_000;
    expect([discarded.add('a', 2 * MIB), discarded.add('a', 1)]).toEqual([true, false]);
  });
});
