import { describe, expect, it } from '@jest/globals';
import { Deadlines, type Expiring } from './deadlines.js';

/** The timer does not keep a process alive by itself, so the test does. */
const expired = (begin: (call: Expiring) => void): Promise<void> =>
  new Promise(resolve => {
    const alive = setInterval(() => undefined, 1_000);
    begin({
      expire: () => {
        clearInterval(alive);
        resolve();
      },
    });
  });

describe('deadlines', () => {
  it('end each call at its deadline, one after the other', async () => {
    const deadlines = new Deadlines(20);
    const order: string[] = [];
    const first = expired(call => deadlines.add(call)).then(() => order.push('first'));
    const second = expired(call => deadlines.add(call)).then(() => order.push('second'));
    await Promise.all([first, second]);
    await expired(call => deadlines.add(call));
    expect(order).toEqual(['first', 'second']);
  });

  it('do not affect a call that ended before', async () => {
    const deadlines = new Deadlines(20);
    let isOpen = true;
    const call = {
      expire: () => {
        isOpen = false;
      },
    };
    deadlines.add(call);
    deadlines.delete(call);
    await expired(other => deadlines.add(other));
    expect(isOpen).toBe(true);
  });
});
