import { describe, expect, it } from '@jest/globals';
import type { Decider } from '../decider.js';
import type { Position } from '../event.js';
import { counted, freshStores, metadata } from '../testing/store-under-test.js';
import { CommandTransactions } from './index.js';

const stores = freshStores();

type Counted = { readonly type: string; readonly data: { readonly n: number } };

/** Counts up to a limit, and refuses to go beyond it. */
const counter: Decider<number, { readonly limit: number }, Counted> = {
  initial: 0,
  decide: ({ limit }, state) => {
    if (state > limit) throw new Error('beyond the limit');
    return state === limit ? [] : counted(state + 1);
  },
  evolve: (_, { data }) => data.n,
};

const counting = async () => {
  const { pool, store } = await stores.fresh();
  await pool.query('CREATE TABLE notes (stream text, n integer)');
  const shown: (Position | undefined)[] = [];
  const transactions = new CommandTransactions({
    store,
    metadata: () => metadata,
    waitUntil: async position => void shown.push(position),
  });
  const count = (
    streamId: string,
    limit: number,
    more: { failing?: boolean; most?: number; after?: () => Promise<void> } = {},
  ) =>
    transactions.execute({
      decider: counter,
      streamId,
      command: { limit },
      locks: ['notes'],
      check: async client => {
        const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM notes');
        if (more.most !== undefined && rows[0]!.count >= more.most) throw new Error('too many notes');
      },
      write: async (client, events, before) => {
        await client.query('INSERT INTO notes VALUES ($1, $2)', [streamId, before + events.length]);
        await more.after?.();
        if (more.failing) throw new Error('the rows cannot be written');
      },
    });
  const notes = async () => (await pool.query('SELECT stream, n FROM notes ORDER BY stream, n')).rows;
  const numbers = async (streamId: string) =>
    (await store.readStream(streamId)).map(({ data }) => (data as { n: number }).n);
  return { count, notes, numbers, shown };
};

describe('A command and its rows', () => {
  it('are written in one transaction and visible when the command returns', async () => {
    const { count, notes, numbers, shown } = await counting();
    expect(await count('a', 3)).toEqual(counted(1));
    expect(await numbers('a')).toEqual([1]);
    expect(await notes()).toEqual([{ stream: 'a', n: 1 }]);
    expect(shown).toEqual([expect.objectContaining({ pos: expect.any(String) })]);
  });

  it('are rolled back when the rows, the check or the decider fail', async () => {
    const { count, notes, numbers } = await counting();
    await expect(count('a', 3, { failing: true })).rejects.toThrow('the rows cannot be written');
    await expect(count('a', 3, { most: 0 })).rejects.toThrow('too many notes');
    await expect(count('a', -1)).rejects.toThrow('beyond the limit');
    expect(await numbers('a')).toEqual([]);
    expect(await notes()).toEqual([]);
  });

  it('are not written when the decider returns no events', async () => {
    const { count, notes } = await counting();
    expect(await count('a', 0)).toEqual([]);
    expect(await notes()).toEqual([]);
  });

  it('are decided again after PostgreSQL rolled their transaction back', async () => {
    const { count, notes, numbers } = await counting();
    let failures = 2;
    const gaveUp = async () => {
      if (failures-- > 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    };
    expect(await count('a', 3, { after: gaveUp })).toEqual(counted(1));
    expect(await numbers('a')).toEqual([1]);
    expect(await notes()).toEqual([{ stream: 'a', n: 1 }]);
  });

  it('are decided one after another, so that none is lost and no limit is exceeded', async () => {
    const { count, notes, numbers } = await counting();
    const attempts = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => count('a', 100, { most: 30 })),
      ...Array.from({ length: 20 }, (_, place) => count(`b${place}`, 100, { most: 30 })),
    ]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    expect(await notes()).toHaveLength(30);
    const ofA = await numbers('a');
    expect(ofA).toEqual(Array.from({ length: ofA.length }, (_, place) => place + 1));
  });
});
