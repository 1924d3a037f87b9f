import { describe, expect, it } from '@jest/globals';
import { BuildSlots } from './build-slots.js';

describe('build slots', () => {
  it('limit concurrent builds to their number', () => {
    const slots = new BuildSlots(2);
    expect([slots.tryTake('a'), slots.tryTake('b'), slots.tryTake('c')]).toEqual([true, true, false]);
    expect(slots.tryTake('a')).toBe(true);
    slots.leave('b');
    expect(slots.tryTake('c')).toBe(true);
    expect(slots.taken).toBe(2);
  });

  it('are assigned in queue order', () => {
    const slots = new BuildSlots(1);
    slots.take('a');
    expect([slots.tryTake('b'), slots.tryTake('c')]).toEqual([false, false]);
    slots.leave('a');
    expect([slots.tryTake('c'), slots.tryTake('a')]).toEqual([false, false]);
    expect(slots.tryTake('b')).toBe(true);
  });

  it('are assigned by turn, and to web services without a turn last', () => {
    const slots = new BuildSlots(1);
    slots.take('a');
    expect(slots.tryTake('late')).toBe(false);
    slots.setTurns(['c', 'b']);
    slots.leave('a');
    expect([slots.tryTake('late'), slots.tryTake('b'), slots.tryTake('c')]).toEqual([false, false, true]);
    slots.leave('c');
    expect([slots.tryTake('late'), slots.tryTake('b')]).toEqual([false, true]);
  });

  it('are free for others when a web service leaves the queue', () => {
    const slots = new BuildSlots(1);
    slots.take('a');
    slots.tryTake('b');
    slots.tryTake('c');
    slots.leave('b');
    slots.leave('a');
    expect(slots.tryTake('c')).toBe(true);
  });
});
