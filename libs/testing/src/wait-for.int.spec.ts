import { describe, expect, it } from '@jest/globals';
import { freePort } from './free-port.js';
import { eventually, waitFor } from './wait-for.js';

describe('waiting', () => {
  it('returns the value of the condition as soon as it is truthy', async () => {
    let calls = 0;
    expect(await waitFor(() => (++calls >= 3 ? `call ${calls}` : undefined), { intervalMs: 1 })).toBe('call 3');
  });

  it('polls at growing intervals', async () => {
    const polls: number[] = [];
    const start = performance.now();
    const recorded = () => void polls.push(performance.now() - start);
    await expect(waitFor(recorded, { timeoutMs: 1_500 })).rejects.toThrow('waited 1500 ms');
    // A constant interval of 10 ms would be 50 polls.
    expect(polls.filter(at => at > 1_000 && at < 1_500).length).toBeLessThan(15);
  });

  it('names the condition and its last error after the timeout', async () => {
    const failing = waitFor(() => Promise.reject(new Error('refused')), { timeoutMs: 20, describe: 'the entry point' });
    await expect(failing).rejects.toThrow('waited 20 ms for the entry point: refused');
  });

  it('fails with the last error of the assertion', async () => {
    await expect(eventually(() => expect(1).toBe(2), { timeoutMs: 20 })).rejects.toThrow(/Expected: .*2/);
  });
});

it('returns different ports to concurrent callers', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
});
