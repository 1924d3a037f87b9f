import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { startPostgres, type TestPostgres } from './postgres.js';
import { refusedStatements, type StatementTables, statementsOf } from './sql-statements.js';

let postgres: TestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  url = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE notes (id uuid PRIMARY KEY, text text NOT NULL)');
  await client.end();
}, 60_000);

afterAll(() => postgres.stop());

const page = (limit: number) => `SELECT id FROM notes LIMIT ${limit}`;

const statements = {
  add: ({ table }: StatementTables) => `INSERT INTO ${table('notes')} (id, text) VALUES ($1, $2)`,
  read: 'SELECT text FROM notes WHERE id = $1',
  page,
  examples: { page: page(10) },
};

it('Statements that fit the schema are prepared', async () => {
  expect([...statementsOf(statements).keys()]).toEqual(['add', 'read', 'page']);
  await expect(refusedStatements(url, statementsOf(statements))).resolves.toEqual([]);
});

it('A statement that names a missing column or table is refused by name', async () => {
  const renamed = {
    ...statements,
    read: 'SELECT content FROM notes WHERE id = $1',
    add: ({ table }: StatementTables) => `INSERT INTO ${table('note')} (id, text) VALUES ($1, $2)`,
  };
  await expect(refusedStatements(url, statementsOf(renamed))).resolves.toEqual([
    'add: relation "note" does not exist',
    'read: column "content" does not exist',
  ]);
});

it('No statement is executed', async () => {
  await refusedStatements(url, statementsOf({ clear: 'DELETE FROM notes', drop: 'DROP TABLE notes' }));
  await expect(refusedStatements(url, statementsOf(statements))).resolves.toEqual([]);
});

it('An export that is not a statement is an error', () => {
  expect(() => statementsOf({ LIMIT: 10 })).toThrow('LIMIT is not a statement');
  expect(() => statementsOf({ page: () => undefined })).toThrow('page is not a statement');
});
