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
  await pool.query('CREATE TABLE large_things (id uuid PRIMARY KEY, key_id text, secret text)');
}, 60_000);
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

beforeEach(async () => {
  await pool.query('TRUNCATE things, large_things');
  const of = (column: string) => ({ table: 'things', id: 'id', column, rowOf });
  columns = new SealedColumns(pool, new KeyRing([newer, older]), [of('secret'), of('other')]);
});

const putLarge = async (under: ReturnType<typeof key>, value: string): Promise<string> => {
  const id = randomUUID();
  const sealed = new KeyRing([under]).seal(value, rowOf(id));
  await pool.query('INSERT INTO large_things VALUES ($1, $2, $3)', [id, under.id, sealed]);
  return id;
};

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

/** Repeats the re-encryption, like the `postern` command. */
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
  'values that cannot be decrypted are reported and do not prevent re-encryption of others, %i at a time',
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

it.each([1, 2, 100])('values of a large table are found by their key, %i at a time', async limit => {
  const large = { table: 'large_things', id: 'id', column: 'secret', keyColumn: 'key_id', rowOf };
  const [earlier, later] = [key('a'), key('z')];
  columns = new SealedColumns(pool, new KeyRing([newer, earlier, later]), [large]);
  for (const under of [earlier, newer, later]) for (const value of ['1', '2', '3']) await putLarge(under, value);
  const without = await putLarge(lost, '4');
  const counts = async () => (await columns.counts()).map(({ key_id, values }) => [key_id, values]);
  expect(await counts()).toEqual([
    ['a', 3],
    ['lost', 1],
    ['newer', 3],
    ['z', 3],
  ]);
  expect(await untilNothingIsLeft(limit)).toEqual({ total: 6, unopened: [`large_things.secret ${without}`] });
  expect(await counts()).toEqual([
    ['lost', 1],
    ['newer', 9],
  ]);
  const { rows } = await pool.query<{ id: string; secret: string }>(
    `SELECT id, secret FROM large_things WHERE key_id = 'newer'`,
  );
  expect(
    rows
      .map(row => new KeyRing([newer]).open(row.secret, rowOf(row.id)))
      .sort()
      .join(''),
  ).toBe('111222333');
});
