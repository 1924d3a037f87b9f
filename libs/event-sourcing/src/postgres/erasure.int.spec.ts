import { expect, it } from '@jest/globals';
import { freshStores, metadata } from '../testing/store-under-test.js';
import { eraseFromEvents } from './index.js';

const stores = freshStores();

const mailed = (to: string) => ({ type: 'test.mailed.v1', data: { to } });

const forget = (address: string) => ({
  containing: address,
  without: ({ data }: { data: object }) =>
    (data as { to: string }).to.toLowerCase() === address ? { to: 'erased@erased.invalid' } : undefined,
  noteAs: 'erased@erased.invalid',
});

it('takes an address out of every event that has it, and out of no other', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('Ada@x.test'), mailed('hada@x.test')], { expectedVersion: 'none', metadata });
  await store.append('b', [mailed('ada@x.test')], { expectedVersion: 'none', metadata });
  const before = await eraseFromEvents(pool, forget('ada@x.test'));
  expect(before).toEqual([
    { streamId: 'a', type: 'test.mailed.v1', data: { to: 'Ada@x.test' } },
    { streamId: 'b', type: 'test.mailed.v1', data: { to: 'ada@x.test' } },
  ]);
  const told = [...(await store.readStream('a')), ...(await store.readStream('b'))].map(({ data }) => data);
  expect(told).toEqual([{ to: 'erased@erased.invalid' }, { to: 'hada@x.test' }, { to: 'erased@erased.invalid' }]);
});

it('keeps a note of what it did, and does nothing when there is nothing left', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('ada@x.test')], { expectedVersion: 'none', metadata });
  await eraseFromEvents(pool, forget('ada@x.test'));
  expect(await eraseFromEvents(pool, forget('ada@x.test'))).toEqual([]);
  const { rows } = await pool.query('SELECT noted_as, events FROM event_store.erasures');
  expect(rows).toEqual([{ noted_as: 'erased@erased.invalid', events: 1 }]);
});

it('changes nothing but what an event tells', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('ada@x.test')], { expectedVersion: 'none', metadata });
  const client = await pool.connect();
  await client.query("BEGIN; SELECT set_config('event_store.erasing', 'on', true)");
  await expect(client.query("UPDATE event_store.events SET type = 'other'")).rejects.toThrow('data alone');
  await client.query('ROLLBACK');
  client.release();
  await expect(pool.query(`UPDATE event_store.events SET data = '{}'`)).rejects.toThrow('append-only');
});
