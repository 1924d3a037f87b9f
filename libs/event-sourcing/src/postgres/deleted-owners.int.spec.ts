import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { freshStores, metadata } from '../testing/store-under-test.js';
import { DeletedOwners, type OwnedData } from './index.js';

const stores = freshStores();
const never = new AbortController().signal;

const sent = (shop: string) => ({ type: 'test.sent.v1', data: { shop } });
const opened = { type: 'test.opened.v1', data: { by: 'ada@x.test' } };
const deleted = (shop: string) => ({ type: 'test.shop-deleted.v1', data: { shop } });
const owned: OwnedData = { field: 'shop', kept: ['test.shop-deleted.v1'] };

const due = (pool: pg.Pool) =>
  pool.query('UPDATE event_store.deleted_owners SET due_at = now() WHERE due_at IS NOT NULL');
const typesIn = async (pool: pg.Pool): Promise<string[]> =>
  (
    await pool.query<{ named: string }>(
      "SELECT stream_id || ' ' || type AS named FROM event_store.events ORDER BY txid, pos",
    )
  ).rows.map(({ named }) => named);

const shops = async () => {
  const { pool, store } = await stores.fresh();
  await store.append('email-1', [sent('a'), opened], { expectedVersion: 'none', metadata });
  await store.append('email-2', [sent('b'), opened], { expectedVersion: 'none', metadata });
  await store.append('shop-a', [sent('a'), deleted('a')], { expectedVersion: 'none', metadata });
  await DeletedOwners.record(pool, 'a');
  return { pool, store };
};

describe('A deleted owner', () => {
  it('keeps its events until nothing is in flight', async () => {
    const { pool } = await shops();
    await new DeletedOwners(pool, owned).run(never);
    expect(await typesIn(pool)).toHaveLength(6);
  });

  it('loses only its own streams, completely', async () => {
    const { pool } = await shops();
    await due(pool);
    await new DeletedOwners(pool, owned).run(never);
    expect(await typesIn(pool)).toEqual([
      'email-2 test.sent.v1',
      'email-2 test.opened.v1',
      'shop-a test.shop-deleted.v1',
    ]);
  });

  it('loses its rows before its events, so that a crash between the two leaves no orphaned rows', async () => {
    const { pool } = await shops();
    await due(pool);
    const rowsOf: string[] = [];
    const dying = {
      ...owned,
      deleteRowsOf: async (ids: readonly string[]) => void rowsOf.push(...ids),
      finish: async () => Promise.reject(new Error('killed')),
    };
    const broken = { ...dying, deleteRowsOf: async () => Promise.reject(new Error('killed')) };
    await expect(new DeletedOwners(pool, broken).run(never)).rejects.toThrow('killed');
    expect(await typesIn(pool)).toHaveLength(6);
    await expect(new DeletedOwners(pool, dying).run(never)).rejects.toThrow('killed');
    expect(rowsOf.sort()).toEqual(['email-1', 'shop-a']);
    const finished: string[] = [];
    await new DeletedOwners(pool, { ...owned, finish: async owner => finished.push(owner) }).run(never);
    expect(finished).toEqual(['a']);
  });

  it('loses data that arrives late in a later pass, and is finished after the last pass', async () => {
    const { pool, store } = await shops();
    await due(pool);
    const owners = new DeletedOwners(pool, owned);
    await owners.run(never);
    await store.append('email-3', [sent('a')], { expectedVersion: 'none', metadata });
    await owners.run(never);
    expect(await typesIn(pool)).toContain('email-3 test.sent.v1');
    for (const _ of [2, 3, 4]) {
      await due(pool);
      await owners.run(never);
    }
    expect(await typesIn(pool)).not.toContain('email-3 test.sent.v1');
    const { rows } = await pool.query('SELECT passes, due_at FROM event_store.deleted_owners');
    expect(rows).toEqual([{ passes: 3, due_at: null }]);
  });
});
