import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GroupCommit } from './group-commit.js';

const databaseError = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code });
const turn = () => new Promise<void>(resolve => setImmediate(resolve));

/** A table that accepts a whole batch or nothing, after the scripted number of turns of the event loop. */
const table = (isBad: (item: number) => boolean, delays: readonly number[]) => {
  const rows: number[] = [];
  const batches: number[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  return {
    rows,
    batches,
    most: () => mostUnderWay,
    flush: async (items: readonly number[]) => {
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      batches.push(items.length);
      for (let n = delays[batches.length % (delays.length || 1)] ?? 0; n > 0; n--) await turn();
      underWay--;
      if (items.some(isBad)) throw databaseError('22P05');
      rows.push(...items);
      return items.map(item => item * 2);
    },
  };
};

describe('a group commit', () => {
  it('writes every valid item once, returns each its own result, and rejects only invalid items', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ bad: fc.boolean(), pause: fc.nat(2) }), { maxLength: 60 }),
        fc.array(fc.nat(3), { maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 3 }),
        async (items, delays, maxBatch, flushers) => {
          const written = table(item => items[item]?.bad ?? false, delays);
          const group = new GroupCommit<number, number>({ flush: written.flush, maxBatch, flushers });
          const submitted: Promise<number>[] = [];
          for (const [item, { pause }] of items.entries()) {
            submitted.push(group.submit(item));
            submitted.at(-1)?.catch(() => undefined);
            for (let n = pause; n > 0; n--) await turn();
          }
          const outcomes = await Promise.allSettled(submitted);
          await group.drain();

          expect(outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual(
            items.map(({ bad }, item) => (bad ? 'failed' : item * 2)),
          );
          const good = items.flatMap(({ bad }, item) => (bad ? [] : [item]));
          expect(written.rows.toSorted((a, b) => a - b)).toEqual(good);
          expect(Math.max(0, ...written.batches)).toBeLessThanOrEqual(maxBatch);
          expect(written.most()).toBeLessThanOrEqual(flushers);
        },
      ),
      { numRuns: 150 },
    ));

  it('puts items that wait for running flushes into one batch', async () => {
    const written = table(() => false, [3]);
    const group = new GroupCommit<number, number>({ flush: written.flush });
    const first = group.submit(1);
    await turn();
    await Promise.all([first, ...Array.from({ length: 100 }, (_, n) => group.submit(n))]);
    expect(written.batches.length).toBeLessThanOrEqual(3);
  });

  it.each(['40001', '40P01'])('retries a batch that was rolled back (%s) as a whole', async code => {
    let races = 0;
    const group = new GroupCommit<number, number>({
      flush: async items => {
        if (races++ < 3) throw databaseError(code);
        return items;
      },
    });
    expect(await Promise.all([group.submit(1), group.submit(2)])).toEqual([1, 2]);
    expect(races).toBe(4);
  });

  it.each([
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    ['a reset connection', databaseError('ECONNRESET')],
    ['a server that shuts down', databaseError('57P01')],
    ['a full disk', databaseError('53100')],
    ['a commit whose end is unknown', databaseError('40003')],
  ])('does not retry a batch with an unknown outcome: %s', async (_, error) => {
    let flushes = 0;
    const group = new GroupCommit<number, number>({
      flush: async () => {
        flushes++;
        throw error;
      },
    });
    const outcomes = await Promise.allSettled([group.submit(1), group.submit(2), group.submit(3)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(flushes).toBe(1);
  });
});
