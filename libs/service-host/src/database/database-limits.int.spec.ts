import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { type SilencingProxy, startPostgres, startSilencingProxy, type TestPostgres } from '@postern/testing';
import type pg from 'pg';
import { boundedPool, CONNECTION_LIMITS, requireSessionLimits } from './database-limits.js';
import { PipelinedReads } from './pipelined-reads.js';

const LIMITS = { applicationName: 'limits', statementTimeoutMs: 1_500, idleInTransactionTimeoutMs: 1_000 };
const NOTICED_WITHIN_MS = LIMITS.statementTimeoutMs + CONNECTION_LIMITS.silenceMarginMs + 2_000;
const log = { info() {}, warn() {}, error() {} };

let postgres: TestPostgres;
let url: string;
let proxy: SilencingProxy;
const closed: { end(): Promise<unknown> }[] = [];

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  url = await postgres.createDatabase();
  proxy = await startSilencingProxy(url);
}, 60_000);
afterEach(async () => {
  proxy.heal();
  await Promise.all(closed.splice(0).map(each => each.end()));
});
afterAll(async () => {
  await proxy?.stop();
  await postgres?.stop();
});

const poolOf = (databaseUrl: string): pg.Pool => {
  const pool = boundedPool(databaseUrl, 3, LIMITS);
  pool.on('error', () => {});
  closed.push(pool);
  return pool;
};

const readsOf = (databaseUrl: string): PipelinedReads => {
  const reads = new PipelinedReads(databaseUrl, LIMITS, log);
  closed.push({ end: () => reads.close() });
  return reads;
};

const settingsOf = async ({ query }: { query(text: { text: string }): Promise<{ rows: unknown[] }> }) => {
  const { rows } = await query({ text: 'SELECT name, setting FROM pg_settings' });
  return Object.fromEntries((rows as { name: string; setting: string }[]).map(({ name, setting }) => [name, setting]));
};

const millisecondsOf = async (work: Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work.catch(() => undefined);
  return performance.now() - began;
};

describe('a session', () => {
  it('has the limits of both sides, and keeps the options of the URL', async () => {
    const expected = {
      statement_timeout: '1500',
      lock_timeout: '1000',
      idle_in_transaction_session_timeout: '1000',
      tcp_keepalives_idle: '10',
      tcp_keepalives_interval: '5',
      tcp_keepalives_count: '3',
      tcp_user_timeout: '15000',
      client_connection_check_interval: '10000',
    };
    const own = new URL(url);
    own.searchParams.set('options', '-c work_mem=8MB');
    const pool = poolOf(own.href);
    expect(await settingsOf({ query: query => pool.query(query) })).toMatchObject({ ...expected, work_mem: '8192' });
    const reads = readsOf(own.href);
    const ofReads = await settingsOf({ query: query => reads.query(query) });
    expect(ofReads).toMatchObject({ ...expected, default_transaction_read_only: 'on' });
  });
});

describe('connections that the network forgot', () => {
  it('are closed with their whole transaction, and new ones work', async () => {
    const pool = poolOf(proxy.url);
    const work = inTransaction(pool, async client => {
      proxy.silence();
      await client.query('SELECT 1');
    });
    const failure = work.catch((error: Error) => error.message);
    expect(await millisecondsOf(work)).toBeLessThan(NOTICED_WITHIN_MS);
    expect(await failure).toContain('Connection terminated');
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('are closed under reads that do not pause', async () => {
    const reads = readsOf(proxy.url);
    await reads.query({ text: 'SELECT 1' });
    proxy.silence();
    let isRunning = true;
    const more = (async () => {
      while (isRunning) {
        reads.query({ text: 'SELECT 1' }).catch(() => undefined);
        await pause(50);
      }
    })();
    expect(await millisecondsOf(reads.query({ text: 'SELECT 1' }))).toBeLessThan(NOTICED_WITHIN_MS);
    isRunning = false;
    await more;
    expect((await reads.query({ text: 'SELECT 1 AS one' })).rows).toEqual([{ one: 1 }]);
  });

  it('do not delay a connection for longer than the limit of connecting', async () => {
    const pool = poolOf(proxy.url);
    proxy.silence({ withNew: true });
    expect(await millisecondsOf(pool.query('SELECT 1'))).toBeLessThan(CONNECTION_LIMITS.connectMs + 2_000);
  });
});

describe('a pooler', () => {
  it('that drops the settings of sessions is refused in words', async () => {
    const pooler = await startSilencingProxy(url, { rewriteFirst: withoutOptions });
    closed.push({ end: () => pooler.stop() });
    const refused = requireSessionLimits(poolOf(pooler.url), LIMITS);
    await expect(refused).rejects.toThrow('connect POSTERN_DATABASE_URL to PostgreSQL directly');
  });

  it('that refuses the settings of sessions is refused in the same words', async () => {
    const pooler = createServer(socket => socket.once('data', () => socket.end(UNSUPPORTED)));
    await new Promise<void>(resolve => pooler.listen(0, '127.0.0.1', resolve));
    closed.push({ end: async () => void pooler.close() });
    const { port } = pooler.address() as { port: number };
    const refused = requireSessionLimits(poolOf(`postgres://app@127.0.0.1:${port}/app`), LIMITS);
    await expect(refused).rejects.toThrow('connect POSTERN_DATABASE_URL to PostgreSQL directly');
  });
});

/** The startup message without its parameter `options`, as PgBouncer forwards it with ignore_startup_parameters. */
const withoutOptions = (message: Buffer): Buffer => {
  const parameters = message.subarray(8, -1).toString().split('\0').slice(0, -1);
  const kept = parameters.flatMap((name, index) =>
    index % 2 === 0 && name !== 'options' ? [name, parameters[index + 1] ?? ''] : [],
  );
  const body = Buffer.from(`${kept.join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  message.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
};

const error = 'SERROR\0C08P01\0Munsupported startup parameter: options\0\0';
const UNSUPPORTED = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(error)]);
UNSUPPORTED.writeInt32BE(4 + error.length, 1);
