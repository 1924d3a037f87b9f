import { describe, expect, it, jest } from '@jest/globals';
import { type AuditRecord, PLATFORM_KEY_USED } from '@postern/contracts';
import { RefusedKeys } from './refused-keys.js';

const CONTEXT = { correlationId: 'request-1' };
const MINUTE_MS = 60_000;

const refusal = (network: string, keyId: string | null = null): AuditRecord => ({
  entry_id: '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f',
  actor: keyId ? { type: 'platform_key', id: keyId } : { type: 'unknown', id: null },
  action: PLATFORM_KEY_USED,
  resource: { type: 'platform_key', id: keyId },
  workspace_id: null,
  client: { network, user_agent: 'curl' },
  outcome: 'refused',
  code: 'platform_key_invalid',
  request_id: 'request-1',
});

const collector = () => {
  const stored: AuditRecord[] = [];
  const clock = { now: 0 };
  const keys = new RefusedKeys(
    async entry => void stored.push(entry),
    () => clock.now,
  );
  return { stored, clock, keys };
};

describe('Refused platform keys', () => {
  it('are stored immediately, and repetitions within a minute as one entry', async () => {
    const { stored, keys } = collector();
    for (let n = 0; n < 5; n += 1) keys.add(refusal('192.0.2.0/24'), CONTEXT);
    expect(stored.map(({ times }) => times)).toEqual([undefined]);
    await keys.flush();
    expect(stored.map(({ times }) => times)).toEqual([undefined, 4]);
    expect(new Set(stored.map(({ entry_id }) => entry_id)).size).toBe(2);
    await keys.flush();
    expect(stored).toHaveLength(2);
  });

  it('are stored a minute after the first, even without another call', async () => {
    jest.useFakeTimers();
    try {
      const { stored, keys } = collector();
      keys.add(refusal('192.0.2.0/24'), CONTEXT);
      keys.add(refusal('192.0.2.0/24'), CONTEXT);
      await jest.advanceTimersByTimeAsync(MINUTE_MS);
      expect(stored).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
  });

  it('from 100,000 networks in an hour result in at most 560 entries that count all of them', async () => {
    const { stored, clock, keys } = collector();
    for (let n = 0; n < 100_000; n += 1) {
      clock.now = (n / 100_000) * 60 * MINUTE_MS;
      keys.add(refusal(`2001:db8:${n.toString(16)}::/48`), CONTEXT);
      if (n % 1_700 === 0) await keys.flush();
    }
    await keys.flush();
    expect(stored.length).toBeLessThanOrEqual(560);
    expect(stored.reduce((sum, { times = 1 }) => sum + times, 0)).toBe(100_000);
    expect(stored.at(-1)).toMatchObject({ client: { network: null }, code: 'many_refused_keys' });
  });

  it('of known keys are stored with their ids even if there are too many unknown ones', async () => {
    const { stored, keys } = collector();
    for (let n = 0; n < 2_000; n += 1) keys.add(refusal(`2001:db8:${n.toString(16)}::/48`), CONTEXT);
    keys.add(refusal('192.0.2.0/24', 'key-1'), CONTEXT);
    expect(stored.at(-1)).toMatchObject({ actor: { id: 'key-1' }, client: { network: '192.0.2.0/24' } });
  });
});
