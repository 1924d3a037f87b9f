import { describe, expect, it } from '@jest/globals';
import { KeyedSlots } from './keyed-slots.js';

const busy = () => new Error('busy');

describe('the slots of a key', () => {
  it('run a limited number of tasks at a time, and waiting tasks in order of arrival', async () => {
    const slots = new KeyedSlots({ running: 2, waiting: 9 });
    const begun: number[] = [];
    const finish: (() => void)[] = [];
    const tasks = [0, 1, 2, 3].map(n =>
      slots.run('a', () => new Promise<void>(resolve => finish.push(resolve) && begun.push(n)), busy),
    );
    expect(begun).toEqual([0, 1]);
    finish[1]?.();
    await tasks[1];
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    finish[0]?.();
    await tasks[0];
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('refuse tasks beyond the waiting limit, and accept tasks of other keys', async () => {
    const slots = new KeyedSlots({ running: 1, waiting: 1 });
    const never = new Promise<void>(() => undefined);
    void slots.run('a', () => never, busy);
    void slots.run('a', () => never, busy);
    await expect(slots.run('a', async () => 'ran', busy)).rejects.toThrow('busy');
    await expect(slots.run('b', async () => 'ran', busy)).resolves.toBe('ran');
  });

  it('are released after a failed task', async () => {
    const slots = new KeyedSlots({ running: 1, waiting: 0 });
    const failing = slots.run('a', () => Promise.reject(new Error('failed')), busy);
    await expect(failing).rejects.toThrow('failed');
    await expect(slots.run('a', async () => 'ran', busy)).resolves.toBe('ran');
  });
});
