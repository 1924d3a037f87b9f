import { describe, expect, it } from '@jest/globals';
import { BuildSlots } from './build-slots.js';

describe('build slots', () => {
  it('limit concurrent builds to their number', () => {
    const slots = new BuildSlots(2);
    expect([slots.tryAcquire('a'), slots.tryAcquire('b'), slots.tryAcquire('c')]).toEqual([true, true, false]);
    expect(slots.tryAcquire('a')).toBe(true);
    slots.release('b');
    expect(slots.tryAcquire('c')).toBe(true);
    expect(slots.taken).toBe(2);
  });

  it('are assigned in queue order', () => {
    const slots = new BuildSlots(1);
    slots.acquire('a');
    expect([slots.tryAcquire('b'), slots.tryAcquire('c')]).toEqual([false, false]);
    slots.release('a');
    expect([slots.tryAcquire('c'), slots.tryAcquire('a')]).toEqual([false, false]);
    expect(slots.tryAcquire('b')).toBe(true);
  });

  it('are assigned by turn, and to web services without a turn last', () => {
    const slots = new BuildSlots(1);
    slots.acquire('a');
    expect(slots.tryAcquire('late')).toBe(false);
    slots.setOrder(['c', 'b']);
    slots.release('a');
    expect([slots.tryAcquire('late'), slots.tryAcquire('b'), slots.tryAcquire('c')]).toEqual([false, false, true]);
    slots.release('c');
    expect([slots.tryAcquire('late'), slots.tryAcquire('b')]).toEqual([false, true]);
  });

  it('are free for others when a web service leaves the queue', () => {
    const slots = new BuildSlots(1);
    slots.acquire('a');
    slots.tryAcquire('b');
    slots.tryAcquire('c');
    slots.release('b');
    slots.release('a');
    expect(slots.tryAcquire('c')).toBe(true);
  });
});
