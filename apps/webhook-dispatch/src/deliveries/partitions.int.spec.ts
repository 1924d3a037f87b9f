import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migratedDatabase } from '../testing/migrated-database.js';
import { PARTITIONS } from './partition-of-webhook.js';
import { Partitions } from './partitions.js';

let postgres: TestPostgres;
let pool: pg.Pool;
let dispatchers: Partitions[] = [];

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  pool = new pg.Pool({ connectionString: await migratedDatabase(postgres) });
}, 60_000);

afterEach(async () => {
  for (const dispatcher of dispatchers) await dispatcher.end();
  dispatchers = [];
});

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

const dispatcher = (): Partitions => {
  const made = new Partitions({ pool });
  dispatchers.push(made);
  return made;
};
const idle = () => true;
const counts = () => dispatchers.map(({ served }) => served.length);
const balanceAll = async (isIdle = idle) => {
  for (const each of dispatchers) await each.balance(isIdle);
};

/** As after its death: nothing renews its lease any more. */
const endLease = ({ dispatcher: of }: Partitions) =>
  pool.query("UPDATE event_store.leases SET expires_at = clock_timestamp() - interval '1 ms' WHERE name = $1", [
    of?.name,
  ]);

describe('The partitions', () => {
  it('belong to the only dispatcher at once', async () => {
    dispatcher();
    await balanceAll();
    expect(counts()).toEqual([PARTITIONS]);
  });

  it('are divided equally among dispatchers that come, and never belong to two', async () => {
    for (const expected of [[64], [32, 32], [22, 22, 20]]) {
      dispatcher();
      // Those that exist leave partitions in one round, and the new one takes them in the next.
      for (let round = 0; round < 3; round++) await balanceAll();
      expect(counts().toSorted((a, b) => b - a)).toEqual(expected);
      expect(new Set(dispatchers.flatMap(({ served }) => served)).size).toBe(PARTITIONS);
    }
  });

  it('are taken once by dispatchers that start at the same time', async () => {
    for (let n = 0; n < 4; n++) dispatcher();
    await Promise.all(dispatchers.map(each => each.balance(idle)));
    for (let round = 0; round < 3; round++) await balanceAll();
    expect(counts()).toEqual([16, 16, 16, 16]);
    expect(new Set(dispatchers.flatMap(({ served }) => served)).size).toBe(PARTITIONS);
  });

  it('are kept while one of their requests is in progress, without being served', async () => {
    const [first] = [dispatcher(), dispatcher()];
    await first.balance(idle);
    const busy = 63;
    await dispatchers[1]!.balance(idle);
    await first.balance(partition => partition !== busy);
    await dispatchers[1]!.balance(idle);
    expect(first.served).not.toContain(busy);
    expect(counts()).toEqual([32, 31]);
    await first.balance(idle);
    await dispatchers[1]!.balance(idle);
    expect(dispatchers[1]!.served).toContain(busy);
  });

  it('of a dispatcher that stops are free at once', async () => {
    const [first, second] = [dispatcher(), dispatcher()];
    await balanceAll();
    await first.leave(idle);
    await first.end();
    await second.balance(idle);
    expect(second.served).toHaveLength(PARTITIONS);
  });

  it('of a dispatcher that died are taken when its lease has ended, and not before', async () => {
    const [dead, second] = [dispatcher(), dispatcher()];
    await dead.balance(idle);
    await second.balance(idle);
    expect(counts()).toEqual([64, 0]);
    await endLease(dead);
    await second.balance(idle);
    expect(second.served).toHaveLength(PARTITIONS);
  });

  it('of a dispatcher without a lease are not served, and it continues under another name', async () => {
    const only = dispatcher();
    await only.balance(idle);
    const before = only.dispatcher!;
    let lost = 0;
    only.onLost(() => lost++);
    // The renewal finds no lease.
    await pool.query('DELETE FROM event_store.leases');
    await new Promise<void>(resolve => only.onLost(resolve));
    expect([lost, before.isAlive, only.dispatcher, only.served]).toEqual([1, false, undefined, []]);
    await only.balance(idle);
    expect(only.dispatcher?.name).not.toBe(before.name);
    expect(only.served).toHaveLength(PARTITIONS);
  }, 20_000);
});
