import { describe, expect, it } from '@jest/globals';
import { freshStores } from '../testing/store-under-test.js';
import { inPipelinedTransaction, pipelined } from './index.js';

const stores = freshStores();

const notes = async () => {
  const { pool } = await stores.fresh();
  await pool.query('CREATE TABLE notes (id integer PRIMARY KEY)');
  const written = async () =>
    (await pool.query<{ id: number }>('SELECT id FROM notes ORDER BY id')).rows.map(({ id }) => id);
  return { pool, written };
};

const WRITE = 'INSERT INTO notes VALUES ($1)';
const select = (value: number) => ({ name: 'select', text: 'SELECT $1::integer AS value', values: [value] });

describe('pipelined queries', () => {
  it('each return their own result, in a transaction that was started in the same packet', async () => {
    const { pool, written } = await notes();
    const answers = await inPipelinedTransaction<[number, number], number[]>(
      pool,
      client => [1, 2].map(async value => (await client.query(select(value))).rows[0].value) as never,
      async (client, values) => {
        await pipelined(client, () => values.map(value => client.query(WRITE, [value])) as never);
        return [...values];
      },
    );
    expect(answers).toEqual([1, 2]);
    expect(await written()).toEqual([1, 2]);
  });

  it('are rolled back when one of them fails, and the connection stays usable', async () => {
    const { pool, written } = await notes();
    const failing = inPipelinedTransaction<[unknown], void>(
      pool,
      client => [client.query(select(1))],
      async client => {
        await pipelined(client, () => [1, 1, 2].map(id => client.query(WRITE, [id])) as never);
      },
    );
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await written()).toEqual([]);
    const client = await pool.connect();
    expect(client).toMatchObject({ pipeline: false });
    expect((await client.query(select(3))).rows).toEqual([{ value: 3 }]);
    client.release();
  });

  it('all fail when the connection is lost', async () => {
    const { pool, written } = await notes();
    const lost = inPipelinedTransaction<[unknown], void>(
      pool,
      client => [client.query(WRITE, [1])],
      async client => {
        await pipelined(client, () => [
          client.query('SELECT pg_terminate_backend(pg_backend_pid())'),
          client.query(WRITE, [2]),
        ]);
      },
    );
    await expect(lost).rejects.toThrow();
    expect(await written()).toEqual([]);
  });
});
