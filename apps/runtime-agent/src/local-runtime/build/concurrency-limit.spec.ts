import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from './concurrency-limit.js';

const never = new AbortController().signal;

/** Work that continues until the test ends it. */
const work = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { begun: false, end: resolve };
  return Object.assign(state, {
    run: () => {
      state.begun = true;
      return promise;
    },
  });
};

const settled = () => new Promise(resolve => setImmediate(resolve));

describe('A concurrency limit', () => {
  it('runs as many tasks at a time as it allows, and the others in order', async () => {
    const limit = new ConcurrencyLimit(2);
    const works = [work(), work(), work(), work()];
    const runs = works.map(({ run }) => limit.run(never, run));
    await settled();
    expect(works.map(({ begun }) => begun)).toEqual([true, true, false, false]);
    works[1]?.end();
    await settled();
    expect(works.map(({ begun }) => begun)).toEqual([true, true, true, false]);
    for (const { end } of works) end();
    await Promise.all(runs);
  });

  it('is not blocked by a caller that stops waiting, or by a task that fails', async () => {
    const limit = new ConcurrencyLimit(1);
    const [first, second, third] = [work(), work(), work()];
    const leaving = new AbortController();
    const failing = limit.run(never, () => first.run().then(() => Promise.reject(new Error('failed'))));
    const left = limit.run(leaving.signal, second.run);
    const last = limit.run(never, third.run);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    first.end();
    await expect(failing).rejects.toThrow('failed');
    third.end();
    await last;
    expect([second.begun, third.begun]).toEqual([false, true]);
  });
});
