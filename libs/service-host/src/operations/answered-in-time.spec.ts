import { describe, expect, it } from '@jest/globals';
import { answeredInTime } from './answered-in-time.js';

describe('a check', () => {
  it('that answers in time has its findings', async () => {
    const findings = [{ check: 'disk', verdict: 'good', found: '40 % free' }] as const;
    expect(await answeredInTime('PostgreSQL', 1_000, async () => findings)).toEqual(findings);
  });

  it('that hangs says how long it was waited for', async () => {
    const hanging = answeredInTime('PostgreSQL', 200, () => new Promise(() => {}));
    expect(await hanging).toMatchObject([
      {
        check: 'PostgreSQL',
        verdict: 'bad',
        found: 'did not answer within 0.2 s',
        advice: expect.stringContaining('disk'),
      },
    ]);
  });

  it('that fails says why', async () => {
    const failing = answeredInTime('NATS', 1_000, () => Promise.reject(new Error('no space left on device')));
    expect(await failing).toMatchObject([{ check: 'NATS', verdict: 'bad', found: 'no space left on device' }]);
  });
});
