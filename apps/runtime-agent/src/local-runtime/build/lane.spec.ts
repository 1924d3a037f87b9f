import { describe, expect, it } from '@jest/globals';
import { Lane } from './lane.js';

const never = new AbortController().signal;

/** Work that goes on until it is told to end. */
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

describe('A lane', () => {
  it('lets as many go on as it is wide, and the others in the order of asking', async () => {
    const lane = new Lane(2);
    const works = [work(), work(), work(), work()];
    const runs = works.map(({ run }) => lane.run(never, run));
    await settled();
    expect(works.map(({ begun }) => begun)).toEqual([true, true, false, false]);
    works[1]?.end();
    await settled();
    expect(works.map(({ begun }) => begun)).toEqual([true, true, true, false]);
    for (const { end } of works) end();
    await Promise.all(runs);
  });

  it('is not held up by who stops waiting, nor by who fails', async () => {
    const lane = new Lane(1);
    const [first, second, third] = [work(), work(), work()];
    const leaving = new AbortController();
    const failing = lane.run(never, () => first.run().then(() => Promise.reject(new Error('failed'))));
    const left = lane.run(leaving.signal, second.run);
    const last = lane.run(never, third.run);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    first.end();
    await expect(failing).rejects.toThrow('failed');
    third.end();
    await last;
    expect([second.begun, third.begun]).toEqual([false, true]);
  });
});
