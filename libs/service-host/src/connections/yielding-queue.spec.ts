import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { YieldingQueue } from './yielding-queue.js';

describe('A queue that yields to the event loop', () => {
  let queue: YieldingQueue;
  let done: string[];
  beforeEach(() => {
    queue = new YieldingQueue({ ms: 1_000, tasks: 2 });
    done = [];
  });
  afterEach(async () => {
    await turn();
  });
  const task = (name: string) => () => void done.push(name);

  it('runs a single task immediately, and a burst over several turns in order', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) queue.run(task(name));
    expect(done.join('')).toBe('ab');
    await turn();
    expect(done.join('')).toBe('abcd');
    await turn();
    expect(done.join('')).toBe('abcde');
    await turn();
    queue.run(task('f'));
    expect(done.join('')).toBe('abcdef');
  });

  it('runs a task immediately that need not wait', () => {
    for (const name of ['a', 'b', 'c']) queue.run(task(name));
    queue.run(task('known'), () => true);
    queue.run(task('unknown'), () => false);
    expect(done).toEqual(['a', 'b', 'known']);
  });

  it('runs no second task in a turn whose time the first one used up', async () => {
    queue = new YieldingQueue({ ms: 1, tasks: 100 });
    const slow = () => {
      const until = performance.now() + 2;
      while (performance.now() < until);
      done.push('slow');
    };
    queue.run(slow);
    queue.run(slow);
    expect(done).toEqual(['slow']);
    await turn();
    expect(done).toEqual(['slow', 'slow']);
  });
});
