import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GroupCommit } from './group-commit.js';

describe('a group commit', () => {
  it('gives every item its own result, whatever the batches are', () =>
    fc.assert(
      fc.asyncProperty(submissions, limits, async (items, { flushers, maxBatch }) => {
        const group = new GroupCommit<Item, string>({ flush: settled(doubled), flushers, maxBatch });
        const results = await Promise.all(await submitAll(group, items));
        expect(results).toEqual(items.map(({ value }) => `${value}${value}`));
      }),
    ));

  it('lets a guilty item fail alone', () =>
    fc.assert(
      fc.asyncProperty(submissions, limits, async (items, { flushers, maxBatch }) => {
        const group = new GroupCommit<Item, string>({ flush: settled(refusingTheGuilty), flushers, maxBatch });
        const outcomes = await Promise.allSettled(await submitAll(group, items));
        expect(outcomes.map(({ status }) => status)).toEqual(
          items.map(({ guilty }) => (guilty ? 'rejected' : 'fulfilled')),
        );
      }),
    ));

  it('commits every innocent item exactly once', () =>
    fc.assert(
      fc.asyncProperty(submissions, limits, async (items, { flushers, maxBatch }) => {
        const committed: Item[] = [];
        const flush = async (batch: readonly Item[]) => {
          const results = refusingTheGuilty(batch);
          committed.push(...batch);
          return results;
        };
        const group = new GroupCommit<Item, string>({ flush, flushers, maxBatch });
        await Promise.allSettled(await submitAll(group, items));
        expect(new Set(committed)).toEqual(new Set(items.filter(({ guilty }) => !guilty)));
        expect(committed).toHaveLength(new Set(committed).size);
      }),
    ));

  it('keeps the order of submission with one flusher, also around a guilty item', () =>
    fc.assert(
      fc.asyncProperty(submissions, fc.integer({ min: 1, max: 9 }), async (items, maxBatch) => {
        const committed: Item[] = [];
        const flush = async (batch: readonly Item[]) => {
          const results = refusingTheGuilty(batch);
          committed.push(...batch);
          return results;
        };
        const group = new GroupCommit<Item, string>({ flush, flushers: 1, maxBatch });
        await Promise.allSettled(await submitAll(group, items));
        expect(committed).toEqual(items.filter(({ guilty }) => !guilty));
      }),
    ));

  it('never has more flushes under way, or more items in one, than it was told', () =>
    fc.assert(
      fc.asyncProperty(submissions, limits, async (items, { flushers, maxBatch }) => {
        let underWay = 0;
        const seen: { underWay: number; size: number }[] = [];
        const flush = async (batch: readonly Item[]) => {
          seen.push({ underWay: ++underWay, size: batch.length });
          await turns(batch.length % 3);
          underWay--;
          return doubled(batch);
        };
        const group = new GroupCommit<Item, string>({ flush, flushers, maxBatch });
        await Promise.all(await submitAll(group, items));
        expect(seen.every(flush => flush.underWay <= flushers && flush.size <= maxBatch)).toBe(true);
      }),
    ));

  it('has settled everything that was submitted before drain answers', () =>
    fc.assert(
      fc.asyncProperty(submissions, limits, async (items, { flushers, maxBatch }) => {
        let settledItems = 0;
        const group = new GroupCommit<Item, string>({ flush: settled(refusingTheGuilty), flushers, maxBatch });
        for (const item of items)
          group.submit(item).then(
            () => settledItems++,
            () => settledItems++,
          );
        await group.drain();
        await turns(1);
        expect(settledItems).toBe(items.length);
      }),
    ));

  it('answers drain at once when there is nothing to do', () =>
    expect(new GroupCommit({ flush: async items => items }).drain()).resolves.toBeUndefined());

  it('shares one flush among all who come in the same turn', async () => {
    const sizes: number[] = [];
    const group = new GroupCommit<number, number>({
      flush: async batch => {
        sizes.push(batch.length);
        return batch;
      },
    });
    await Promise.all(Array.from({ length: 64 }, (_, n) => group.submit(n)));
    expect(sizes).toEqual([64]);
  });

  it('fails everybody, and writes nothing again, when the connection breaks', async () => {
    let flushes = 0;
    const group = new GroupCommit<number, number>({
      flush: async () => {
        flushes++;
        throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
      },
    });
    const outcomes = await Promise.allSettled([group.submit(1), group.submit(2), group.submit(3)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(flushes).toBe(1);
  });

  it('goes on after a failure', async () => {
    let broken = true;
    const group = new GroupCommit<number, number>({
      flush: async batch => {
        if (broken) throw Object.assign(new Error('shutting down'), { code: '57P01' });
        return batch;
      },
    });
    await expect(group.submit(1)).rejects.toThrow('shutting down');
    broken = false;
    expect(await group.submit(2)).toBe(2);
  });
});

interface Item {
  readonly value: string;
  readonly guilty: boolean;
  /** Turns of the event loop before the next one is submitted. */
  readonly pause: number;
}

const submissions = fc.array(
  fc.record({
    value: fc.string({ maxLength: 4 }),
    guilty: fc.boolean(),
    pause: fc.constantFrom(0, 0, 0, 1, 2),
  }),
  { maxLength: 30 },
);
const limits = fc.record({ flushers: fc.integer({ min: 1, max: 3 }), maxBatch: fc.integer({ min: 1, max: 9 }) });

const doubled = (batch: readonly Item[]) => batch.map(({ value }) => `${value}${value}`);

const refusingTheGuilty = (batch: readonly Item[]) => {
  if (batch.some(({ guilty }) => guilty)) throw Object.assign(new Error('too large'), { code: '22003' });
  return doubled(batch);
};

const settled = (work: (batch: readonly Item[]) => string[]) => async (batch: readonly Item[]) => {
  await turns(1);
  return work(batch);
};

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve));
};

/** The results as promises, wrapped so that a rejection is for the caller to await. */
const submitAll = async (group: GroupCommit<Item, string>, items: readonly Item[]) => {
  const results: Promise<string>[] = [];
  for (const item of items) {
    const result = group.submit(item);
    result.catch(() => undefined);
    results.push(result);
    await turns(item.pause);
  }
  return results;
};
