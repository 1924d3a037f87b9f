import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startPostgres, type TestPostgres } from './postgres.js';
import { waitFor } from './wait-for.js';

async function query(connectionString: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('a PostgreSQL for a test', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('runs PostgreSQL 18 with fsync on', async () => {
    const [row] = await query(
      postgres.adminUrl,
      `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync`,
    );
    expect(row).toMatchObject({ version: expect.stringMatching(/^18/), fsync: 'on' });
  });

  it('gives every caller an empty database', async () => {
    const [first, second] = [await postgres.createDatabase(), await postgres.createDatabase()];
    await query(first, 'CREATE TABLE mail (id int)');
    await expect(query(second, 'SELECT * FROM mail')).rejects.toThrow('does not exist');
  });

  it('prepares a database once and gives every caller a copy', async () => {
    let times = 0;
    const prepare = async (url: string) => {
      times += 1;
      await query(url, 'CREATE TABLE mail (id int)');
    };
    const [first, second] = await Promise.all([postgres.createCopy(prepare), postgres.createCopy(prepare)]);
    await query(first, 'INSERT INTO mail VALUES (7)');
    expect(await query(second, 'SELECT id FROM mail')).toEqual([]);
    expect(times).toBe(1);
  });

  it('prepares the database again after it was killed or the preparation failed', async () => {
    let times = 0;
    const prepare = async (url: string) => {
      times += 1;
      await query(url, times === 1 ? 'SELECT no_such_column' : 'CREATE TABLE mail (id int)');
    };
    await expect(postgres.createCopy(prepare)).rejects.toThrow('no_such_column');
    for (const _after of ['the failure', 'the kill']) {
      expect(await query(await postgres.createCopy(prepare), 'SELECT id FROM mail')).toEqual([]);
      await postgres.kill();
      await postgres.restart();
    }
    expect(times).toBe(3);
  });

  it('is the same server for all callers that share it', async () => {
    const again = await startPostgres();
    expect(again.adminUrl).toBe(postgres.adminUrl);
    await again.stop();
    expect(await query(postgres.adminUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('drops a database after its connections are closed, so that they report no error', async () => {
    const other = await startPostgres();
    const client = new pg.Client({ connectionString: await other.createDatabase() });
    client.on('error', () => undefined);
    await client.connect();
    const closed = client.query('SELECT pg_sleep(0.2)').then(() => client.end());
    await other.stop();
    await expect(closed).resolves.toBeUndefined();
  });

  it('drops a database that is still in use', async () => {
    const other = await startPostgres();
    const url = await other.createDatabase();
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    await other.stop();
    await expect(query(url, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  it('keeps committed data when it is killed and restarted', async () => {
    const url = await postgres.createDatabase();
    await query(url, 'CREATE TABLE mail (id int); INSERT INTO mail VALUES (7)');
    await postgres.kill();
    await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await postgres.restart();
    expect(await query(url, 'SELECT id FROM mail')).toEqual([{ id: 7 }]);
  });

  it('leaves no backend running when it is killed', async () => {
    const url = await postgres.createDatabase();
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    // A computing backend does not check for its postmaster and would commit later.
    const atWork = client.query('CREATE TABLE mail AS SELECT count(*) FROM generate_series(1, 50000000)');
    const working = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'CREATE TABLE mail%'`;
    await waitFor(async () => (await query(url, working)).length > 0);
    await postgres.kill();
    await expect(atWork).rejects.toThrow('Connection terminated');
    await postgres.restart();
    expect(await query(url, `SELECT to_regclass('mail') AS made`)).toEqual([{ made: null }]);
  });

  it('restarts the shared server when a test left it killed', async () => {
    await postgres.kill();
    const next = await startPostgres();
    expect(await query(next.adminUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is durable unless requested otherwise', async () => {
    const fast = await startPostgres({ durable: false, shared: false });
    expect(await query(fast.adminUrl, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
    await fast.stop();
    await expect(query(fast.adminUrl, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });
});
