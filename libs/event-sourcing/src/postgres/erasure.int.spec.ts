import { expect, it } from '@jest/globals';
import { freshStores, metadata } from '../testing/store-under-test.js';
import { ErasureNotes, eraseFromEvents, eraseFromPage } from './index.js';

const stores = freshStores();

const mailed = (to: string) => ({ type: 'test.mailed.v1', data: { to } });

const forget = (address: string) => ({
  containing: [address],
  without: ({ data }: { data: object }) =>
    (data as { to: string }).to.toLowerCase() === address ? { to: 'erased@erased.invalid' } : undefined,
  noteAs: 'erased@erased.invalid',
});

it('erases an address from every event that contains it, and from no other', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('Ada@x.test'), mailed('hada@x.test')], { expectedVersion: 'none', metadata });
  await store.append('b', [mailed('ada@x.test')], { expectedVersion: 'none', metadata });
  const before = await eraseFromEvents(pool, forget('ada@x.test'));
  expect(before).toEqual([
    { streamId: 'a', type: 'test.mailed.v1', data: { to: 'Ada@x.test' } },
    { streamId: 'b', type: 'test.mailed.v1', data: { to: 'ada@x.test' } },
  ]);
  const stored = [...(await store.readStream('a')), ...(await store.readStream('b'))].map(({ data }) => data);
  expect(stored).toEqual([{ to: 'erased@erased.invalid' }, { to: 'hada@x.test' }, { to: 'erased@erased.invalid' }]);
});

it('records the erased rows, and does nothing when nothing is left', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('ada@x.test')], { expectedVersion: 'none', metadata });
  await eraseFromEvents(pool, forget('ada@x.test'));
  expect(await eraseFromEvents(pool, forget('ada@x.test'))).toEqual([]);
  const { rows } = await pool.query('SELECT noted_as, events FROM event_store.erasures');
  expect(rows).toEqual([{ noted_as: 'erased@erased.invalid', events: 1 }]);
});

it('changes only the data of an event', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('ada@x.test')], { expectedVersion: 'none', metadata });
  const client = await pool.connect();
  await client.query("BEGIN; SELECT set_config('event_store.erasing', 'on', true)");
  await expect(client.query("UPDATE event_store.events SET type = 'other'")).rejects.toThrow(
    'data and stream_id alone',
  );
  await client.query('ROLLBACK');
  client.release();
  await expect(pool.query(`UPDATE event_store.events SET data = '{}'`)).rejects.toThrow('append-only');
});

it('finds non-ASCII text by the ASCII text beside it, in any case and every locale', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('JÜRGEN@x.test')], { expectedVersion: 'none', metadata });
  const [address, note] = ['jürgen@x.test', 'erased@erased.invalid'];
  const erasure = { ...forget(address), containing: ['rgen@x.test'] };
  expect((await eraseFromPage(pool, erasure)).changed).toHaveLength(1);
  expect((await store.readStream('a'))[0]?.data).toEqual({ to: note });
});

it('recognises the events of the person when it is repeated, and counts each once', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('ada@x.test'), mailed('bob@x.test')], { expectedVersion: 'none', metadata });
  const theirs = [{ streamId: 'a', type: 'test.mailed.v1', data: { to: 'erased@erased.invalid' } }];
  expect(await eraseFromPage(pool, forget('ada@x.test'))).toMatchObject({ concerned: theirs, next: undefined });
  expect(await eraseFromPage(pool, forget('ada@x.test'))).toEqual({ changed: [], concerned: theirs, next: undefined });
  expect(await new ErasureNotes(pool, 'erased@erased.invalid').counts()).toEqual({ events: 1 });
});

it('erases two people from one event concurrently', async () => {
  const { pool, store } = await stores.fresh();
  const both = Array.from({ length: 200 }, () => ({
    type: 'test.mailed.v1',
    data: { to: 'ada@x.test', cc: 'bob@x.test' },
  }));
  await store.append('a', both, { expectedVersion: 'none', metadata });
  const erase = (address: string) =>
    eraseFromPage(pool, {
      containing: [address],
      without: ({ data }) => {
        const text = JSON.stringify(data);
        return text.includes(address) ? JSON.parse(text.replaceAll(address, `no-${address.slice(0, 3)}`)) : undefined;
      },
      noteAs: `no-${address.slice(0, 3)}`,
    });
  await Promise.all([erase('ada@x.test'), erase('bob@x.test')]);
  const stored = new Set((await store.readStream('a')).map(({ data }) => JSON.stringify(data)));
  expect(stored).toEqual(new Set(['{"cc":"no-bob","to":"no-ada"}']));
});

it('lists the read models to rebuild until a generation that was started later is live', async () => {
  const { pool, store } = await stores.fresh();
  await store.append('a', [mailed('ada@x.test')], { expectedVersion: 'none', metadata });
  const live = (generation: number) =>
    pool.query(
      `INSERT INTO event_store.projections (name, generation, live, version, txid, pos) VALUES ('mails', $1, true, 1, '0', 0)
       ON CONFLICT (name, generation) DO UPDATE SET live = true`,
      [generation],
    );
  const retire = () => pool.query('UPDATE event_store.projections SET live = false');
  await live(1);
  // Another generation is being built, and may have read the event already.
  await pool.query(`INSERT INTO event_store.projections VALUES ('mails', 2, false, 1, '0', 0)`);
  await eraseFromPage(pool, { ...forget('ada@x.test'), readModelsOf: () => ['mails'] });
  const notes = new ErasureNotes(pool, 'erased@erased.invalid');
  expect(await notes.staleReadModels()).toEqual(['mails']);
  await retire();
  await live(2);
  expect(await notes.staleReadModels()).toEqual(['mails']);
  await retire();
  await live(3);
  expect(await notes.staleReadModels()).toEqual([]);
});

it('erases an address from stream ids, repeatedly, and keeps the streams complete', async () => {
  const { pool, store } = await stores.fresh();
  const erasure = {
    ...forget('ada@x.test'),
    withoutInId: (id: string) =>
      id.endsWith('ada@x.test') ? id.replace('ada@x.test', 'erased@erased.invalid') : undefined,
  };
  for (let time = 1; time <= 2; time++) {
    await store.append('list-ada@x.test', [mailed('ada@x.test'), mailed('bob@x.test')], {
      expectedVersion: 'none',
      metadata,
    });
    await store.append('list-hada@x.test-2', [mailed(`other-${time}@x.test`)], {
      expectedVersion: time - 1 || 'none',
      metadata,
    });
    await eraseFromPage(pool, erasure);
    expect(await store.readStream('list-ada@x.test')).toEqual([]);
  }
  const { rows } = await pool.query<{ stream_id: string; recipients: string[] }>(
    `SELECT stream_id, array_agg(data->>'to' ORDER BY version) AS recipients FROM event_store.events
     WHERE stream_id LIKE '%erased.invalid%' GROUP BY stream_id`,
  );
  expect(rows.map(({ recipients }) => recipients)).toEqual([
    ['erased@erased.invalid', 'bob@x.test'],
    ['erased@erased.invalid', 'bob@x.test'],
  ]);
  expect(await store.readStream('list-hada@x.test-2')).toHaveLength(2);
});
