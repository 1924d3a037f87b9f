import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { KeyRing } from '../secrets/key-ring.js';
import { SealedColumns } from './sealed-columns.js';

const key = (id: string) => ({ id, key: randomBytes(32) });
const [older, newer, lost] = [key('older'), key('newer'), key('lost')];
const rowOf = (id: string) => `things/${id}`;

let postgres: TestPostgres;
let pool: pg.Pool;
let columns: SealedColumns;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  pool = new pg.Pool({ connectionString: await postgres.createDatabase(), max: 2 });
  await pool.query('CREATE TABLE things (id uuid PRIMARY KEY, secret text, other text)');
}, 60_000);
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

beforeEach(async () => {
  await pool.query('TRUNCATE things');
  const of = (column: string) => ({ table: 'things', id: 'id', column, rowOf });
  columns = new SealedColumns(pool, new KeyRing([newer, older]), [of('secret'), of('other')]);
});

const put = async (column: 'secret' | 'other', under: ReturnType<typeof key>, value: string): Promise<string> => {
  const id = randomUUID();
  const sealed = new KeyRing([under]).seal(value, rowOf(id));
  await pool.query(`INSERT INTO things (id, ${column}) VALUES ($1, $2)`, [id, sealed]);
  return id;
};

const read = async (column: 'secret' | 'other'): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string; sealed: string }>(
    `SELECT id, ${column} AS sealed FROM things WHERE ${column} LIKE 'newer:%'`,
  );
  return rows.map(({ id, sealed }) => new KeyRing([newer]).open(sealed, rowOf(id))).sort();
};

/** As the command does it. */
const untilNothingIsLeft = async (limit: number) => {
  for (let total = 0; ; ) {
    const { reencrypted, unopened } = await columns.reencrypt(limit);
    if (reencrypted === 0) return { total, unopened: [...unopened].sort() };
    total += reencrypted;
  }
};

it('values under an older key are re-encrypted under the first one', async () => {
  for (const value of ['a', 'b', 'c']) await put('secret', older, value);
  await put('other', older, 'd');
  expect(await untilNothingIsLeft(2)).toEqual({ total: 4, unopened: [] });
  expect([await read('secret'), await read('other')]).toEqual([['a', 'b', 'c'], ['d']]);
});

it.each([1, 100])(
  'values that cannot be opened are reported and do not prevent re-encryption of others, %i at a time',
  async limit => {
    for (const value of ['a', 'b', 'c']) await put('secret', older, value);
    const damaged = await put('secret', older, 'd');
    await pool.query(`UPDATE things SET secret = left(secret, -4) || 'AAAA' WHERE id = $1`, [damaged]);
    const [without, other] = [await put('secret', lost, 'e'), await put('other', lost, 'f')];
    await put('other', older, 'g');

    expect(await untilNothingIsLeft(limit)).toEqual({
      total: 4,
      unopened: [`things.secret ${damaged}`, `things.secret ${without}`, `things.other ${other}`].sort(),
    });
    expect([await read('secret'), await read('other')]).toEqual([['a', 'b', 'c'], ['g']]);
  },
);
