import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type SilencingProxy, startPostgres, startSilencingProxy, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { isLed, withLeadership } from './leadership.js';
import { LEASE_LIMITS, Lease, LeaseLost } from './lease.js';
import { migrateEventStore } from './schema.js';
import { inTransaction } from './transaction.js';

const REPLACED_WITHIN_MS = LEASE_LIMITS.seconds * 1_000 + 8_000;

let postgres: TestPostgres;
let url: string;
let pool: pg.Pool;
let proxy: SilencingProxy;
const pools: pg.Pool[] = [];

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  url = await postgres.createDatabase();
  pool = new pg.Pool({ connectionString: url, max: 6 });
  await migrateEventStore(pool);
  proxy = await startSilencingProxy(url);
}, 60_000);
afterEach(async () => {
  proxy.heal();
  await Promise.all(pools.splice(0).map(each => each.end()));
});
afterAll(async () => {
  await proxy?.stop();
  await pool?.end();
  await postgres?.stop();
});

const throughProxy = (): pg.Pool => {
  const made = new pg.Pool({ connectionString: proxy.url, max: 4, connectionTimeoutMillis: 2_000 });
  made.on('error', () => {});
  pools.push(made);
  return made;
};

/** Leads until leadership is lost; the promises resolve when it leads, and with the reason when it is lost. */
const leading = (of: pg.Pool, name: string) => {
  const stop = new AbortController();
  const { promise: led, resolve } = Promise.withResolvers<Lease>();
  const lost = withLeadership(of, name, stop.signal, (signal, lease) => {
    resolve(lease);
    return new Promise(ended => signal.addEventListener('abort', () => ended(), { once: true }));
  });
  return { led, lost, stop };
};

/** Tries to lead until it succeeds, and returns how long that took. */
const leadNext = async (of: pg.Pool, name: string): Promise<number> => {
  const began = performance.now();
  const stop = new AbortController();
  while (!(await withLeadership(of, name, stop.signal, async () => undefined))) await pause(200);
  return performance.now() - began;
};

describe('leadership', () => {
  it('needs no connection of the pool while the work runs', async () => {
    const stop = new AbortController();
    const led = Array.from({ length: 12 }, (_, n) =>
      withLeadership(pool, `lead-${n}`, stop.signal, async () => {
        await pause(50);
        await pool.query('SELECT 1');
      }),
    );
    expect(await Promise.all(led)).toEqual(Array(12).fill(true));
  });

  it('passes to the next process without a wait when the work failed', async () => {
    const stop = new AbortController();
    const fail = () => withLeadership(pool, 'failing', stop.signal, async () => Promise.reject(new Error('failed')));
    for (let n = 0; n < 50; n++) await expect(fail()).rejects.toThrow('failed');
  });

  it('is refused while another process leads, and visible to all', async () => {
    const { led, lost, stop } = leading(pool, 'held');
    await led;
    expect(await isLed(pool, 'held')).toBe(true);
    expect(await withLeadership(pool, 'held', stop.signal, async () => undefined)).toBe(false);
    stop.abort();
    await lost;
    expect(await isLed(pool, 'held')).toBe(false);
  });

  it('survives connections that a firewall forgot, because new ones renew it', async () => {
    const { led, lost, stop } = leading(throughProxy(), 'forgotten');
    const lease = await led;
    proxy.silence();
    await pause(LEASE_LIMITS.seconds * 1_000 + 1_000);
    expect(lease.lost.aborted).toBe(false);
    expect(await isLed(pool, 'forgotten')).toBe(true);
    stop.abort();
    await lost;
  });

  it('ends in a process that PostgreSQL does not answer before another one takes it', async () => {
    const { led, lost } = leading(throughProxy(), 'silent');
    const lease = await led;
    proxy.silence({ withNew: true });
    const lostAt = lost.then(() => performance.now());
    const taken = await leadNext(pool, 'silent');
    expect(taken).toBeLessThan(REPLACED_WITHIN_MS);
    expect(await lostAt).toBeLessThan(performance.now());
    expect(lease.lost.reason).toBeInstanceOf(LeaseLost);
    expect(String(lease.lost.reason)).toContain('PostgreSQL did not confirm it');
  });

  it('passes from a process whose machine lost power, whose sessions stay open', async () => {
    const dead = throughProxy();
    await Lease.take(dead, 'leader dead');
    proxy.silence({ withNew: true });
    expect(await leadNext(pool, 'dead')).toBeLessThan(REPLACED_WITHIN_MS);
  });

  it('passes from a process that has ended on this machine as soon as its successor starts', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'exit');
    await Lease.take(pool, 'leader ended');
    await Lease.take(pool, 'leader alive');
    const ofChild = `regexp_replace(holder, ' \\d+ (\\d+)$', ' ${child.pid} \\1')`;
    await pool.query(`UPDATE event_store.leases SET holder = ${ofChild} WHERE name = 'leader ended'`);
    await Lease.freeThoseOfDeadProcesses(pool);
    expect([await isLed(pool, 'ended'), await isLed(pool, 'alive')]).toEqual([false, true]);
  });

  it('is ahead of a lease whose end lies further away than any lease lasts: the clock of PostgreSQL went back', async () => {
    await pool.query(`INSERT INTO event_store.leases VALUES ('leader ahead', 7, now(), now() + interval '2 days')`);
    expect(await leadNext(pool, 'ahead')).toBeLessThan(1_000);
  });

  it('lets no transaction of a former leader commit', async () => {
    const { led, lost } = leading(pool, 'fenced');
    const former = await led;
    await inTransaction(pool, client => former.require(client));
    await pool.query(`UPDATE event_store.leases SET expires_at = '-infinity' WHERE name = 'leader fenced'`);
    await leadNext(pool, 'fenced');
    await expect(inTransaction(pool, client => former.require(client))).rejects.toThrow(LeaseLost);
    await lost;
    expect(String(former.lost.reason)).toContain('another process has it');
  });
});
