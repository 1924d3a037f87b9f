import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProgramEnded, until } from './control-plane.mjs';

describe('a wait', () => {
  it('continues after a failed check', async () => {
    const checks = [() => Promise.reject(new Error('connection refused')), () => false, () => true];
    await until('the answer', () => checks.shift()?.());
    assert.equal(checks.length, 0);
  });

  it('fails with the last error at its timeout', async () => {
    const refused = () => Promise.reject(new Error('connection refused'));
    await assert.rejects(
      until('the answer', refused, 50),
      /the answer did not come about in 50 ms: connection refused/,
    );
  });

  it('ends immediately when a required program has exited', async () => {
    let checks = 0;
    const ended = () => {
      checks++;
      throw new ProgramEnded('etcd ended');
    };
    await assert.rejects(until('the answer', ended), /etcd ended/);
    assert.equal(checks, 1);
  });
});
