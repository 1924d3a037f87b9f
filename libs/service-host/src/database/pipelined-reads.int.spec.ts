import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { PipelinedReads } from './pipelined-reads.js';

const log = { info() {}, warn() {}, error() {} };
const LIMITS = { applicationName: 'reads', statementTimeoutMs: 5_000, idleInTransactionTimeoutMs: 5_000 };
const numbers = Array.from({ length: 200 }, (_, index) => index);

describe('Reads that share connections', () => {
  let postgres: TestPostgres;
  let url: string;
  let reads: PipelinedReads;

  const same = async (value: number): Promise<number | undefined> => {
    const query = { name: 'same', text: 'SELECT $1::integer AS value', values: [value] };
    return (await reads.query<{ value: number }>(query)).rows[0]?.value;
  };
  const fromOutside = async (text: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: postgres.adminUrl });
    await client.connect();
    return client.query(text).finally(() => client.end());
  };
  const connections = `FROM pg_stat_activity WHERE application_name = 'reads'`;

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
  }, 60_000);
  beforeEach(() => {
    reads = new PipelinedReads(url, LIMITS, log);
  });
  afterEach(() => reads.close());
  afterAll(() => postgres?.stop());

  it('each return their own result over two connections, for any number of concurrent reads', async () => {
    await expect(Promise.all(numbers.map(same))).resolves.toEqual(numbers);
    await expect(fromOutside(`SELECT count(*)::integer AS count ${connections}`)).resolves.toMatchObject({
      rows: [{ count: 2 }],
    });
  });

  it('fail individually', async () => {
    const failing = reads.query({ text: 'SELECT 1 / $1::integer', values: [0] });
    const others = numbers.map(same);
    await expect(failing).rejects.toThrow('division by zero');
    await expect(Promise.all(others)).resolves.toEqual(numbers);
  });

  it('are read-only', async () => {
    await expect(reads.query({ text: 'CREATE TABLE mistakes ()' })).rejects.toThrow('read-only');
  });

  it('reject when their connection is lost, and continue on a new one', async () => {
    await same(1);
    const hanging = reads.query({ text: 'SELECT pg_sleep(600)' });
    const rejected = expect(hanging).rejects.toThrow('terminat');
    await waitFor(async () => {
      const { rowCount } = await fromOutside(
        `SELECT 1 ${connections} AND query LIKE '%pg_sleep%' AND state = 'active'`,
      );
      return rowCount === 1;
    });
    await fromOutside(`SELECT pg_terminate_backend(pid) ${connections}`);
    await rejected;
    await waitFor(() => same(2).then(value => value === 2));
  });

  it('that are running when the service stops are completed', async () => {
    const last = Promise.all(numbers.map(same));
    await same(0);
    await reads.close();
    await expect(last).resolves.toEqual(numbers);
    await expect(same(1)).rejects.toThrow('closed');
  });
});
