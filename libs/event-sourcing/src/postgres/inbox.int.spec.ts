import { expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { freshStores } from '../testing/store-under-test.js';
import { Inbox, inTransaction } from './index.js';

const stores = freshStores();
const ids = Array.from({ length: 20 }, () => uuidv7());

it('accepts every event once per consumer, over replicas and in any order', async () => {
  const { pool, url } = await stores.fresh();
  const replicas = [pool, stores.connect(url)];
  const taken = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      inTransaction(replicas[n % 2]!, client =>
        new Inbox(pool).accept(client, 'statistics', n % 2 ? ids : ids.toReversed()),
      ),
    ),
  );
  expect(taken.flatMap(accepted => [...accepted]).toSorted()).toEqual(ids.toSorted());
  expect((await new Inbox(pool).accept(pool, 'webhooks', [...ids, ...ids])).size).toBe(20);
});

it('does not record an event when its effect fails', async () => {
  const { pool } = await stores.fresh();
  const inbox = new Inbox(pool);
  const failing = inTransaction(pool, async client => {
    await inbox.accept(client, 'statistics', ids);
    throw new Error('the effect failed');
  });
  await expect(failing).rejects.toThrow('the effect failed');
  expect((await inbox.accept(pool, 'statistics', ids)).size).toBe(20);
});

it('deletes records that are older than any event that can arrive again', async () => {
  const { pool } = await stores.fresh();
  const inbox = new Inbox(pool);
  await inbox.accept(pool, 'statistics', ids);
  await pool.query(`UPDATE event_store.inbox SET received_at = now() - interval '31 days' WHERE event_id = ANY ($1)`, [
    ids.slice(5),
  ]);
  expect(await inbox.purge(30)).toBe(15);
  expect((await inbox.accept(pool, 'statistics', ids)).size).toBe(15);
});

it('deletes in steps, so that no feed waits for a long transaction', async () => {
  const { pool } = await stores.fresh();
  await pool.query(
    `INSERT INTO event_store.inbox (consumer, event_id, received_at)
     SELECT 'statistics', gen_random_uuid(), now() - interval '31 days' FROM generate_series(1, 2500)`,
  );
  await pool.query(`
    CREATE TABLE purged (txid xid8 DEFAULT pg_current_xact_id());
    CREATE FUNCTION note_purged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO purged DEFAULT VALUES; RETURN OLD; END $$;
    CREATE TRIGGER noted BEFORE DELETE ON event_store.inbox FOR EACH ROW EXECUTE FUNCTION note_purged()`);
  expect(await new Inbox(pool).purge(30)).toBe(2_500);
  const { rows } = await pool.query<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM purged GROUP BY txid ORDER BY 1',
  );
  expect(rows.map(row => row.rows)).toEqual([500, 1_000, 1_000]);
});
