import { describe, expect, it } from '@jest/globals';
import { FairSlots } from './fair-slots.js';

/** Takes slots for one owner, and notes each that it gets. */
const taking = (slots: FairSlots, owner: string, count: number, order: string[]) =>
  Array.from({ length: count }, () =>
    slots.take(owner, 60_000).then(isTaken => {
      if (isTaken) order.push(owner);
    }),
  );

const settled = () => new Promise(resolve => setImmediate(resolve));

describe('Slots for the work of several owners', () => {
  it('are taken up to their limit, and pass on to those who wait', async () => {
    const slots = new FairSlots(2);
    const order: string[] = [];
    taking(slots, 'a', 3, order);
    await settled();
    expect([order.length, slots.taken, slots.waiting]).toEqual([2, 2, 1]);
    slots.free('a');
    await settled();
    expect([order.length, slots.taken, slots.waiting]).toEqual([3, 2, 0]);
  });

  it('are given in turns, however many pieces of work one owner has', async () => {
    const slots = new FairSlots(1);
    const order: string[] = [];
    taking(slots, 'busy', 100, order);
    taking(slots, 'b', 1, order);
    taking(slots, 'c', 2, order);
    for (let n = 0; n < 5; n++) {
      await settled();
      slots.free(order.at(-1)!);
    }
    await settled();
    expect(order).toEqual(['busy', 'busy', 'b', 'c', 'busy', 'c']);
  });

  it('are never all held by one owner', async () => {
    const slots = new FairSlots(20);
    const order: string[] = [];
    taking(slots, 'busy', 100, order);
    await settled();
    expect(slots.taken).toBe(18);
    expect(await slots.take('b', 10)).toBe(true);
    expect(await slots.take('busy', 10)).toBe(false);
    slots.free('b');
    await settled();
    expect(slots.taken).toBe(18);
    slots.free('busy');
    await settled();
    expect([slots.taken, order.length]).toEqual([18, 19]);
    slots.refuseAll();
    expect(slots.waiting).toBe(0);
  });

  it('that are not free in time are not taken', async () => {
    const slots = new FairSlots(1);
    expect(await slots.take('a', 10)).toBe(true);
    expect(await slots.take('b', 10)).toBe(false);
    slots.free('a');
    expect([slots.taken, slots.waiting]).toEqual([0, 0]);
  });
});
