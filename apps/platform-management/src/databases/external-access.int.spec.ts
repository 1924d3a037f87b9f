import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { getDatabase, rotateDatabase, updateDatabase } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { DatabasesFixture } from '../testing/databases-fixture.js';
import { refusalCode as codeOf } from '../testing/refusal-code.js';

let fixture: DatabasesFixture;
afterEach(() => fixture?.stop(), 30_000);

const workspace_id = uuidv7();
const CLOSED = { enabled: false, allowed_cidrs: [], open_to_everyone: false, host: null, port: null };
const NETWORK = '203.0.113.0/24';

const running = async (agentEnvironment: Readonly<Record<string, string>>) => {
  fixture = await DatabasesFixture.start(undefined, agentEnvironment);
  const made = await fixture.create({ workspace_id });
  await fixture.run(made, workspace_id);
  const ids = { workspace_id, database_id: made.id };
  return {
    ...ids,
    get: async () => (await fixture.client.request(getDatabase, ids)).external_access,
    update: async (external_access: object, workspace = workspace_id) =>
      (await fixture.client.request(updateDatabase, { ...ids, workspace_id: workspace, external_access }))
        .external_access,
    rotate: () => fixture.client.request(rotateDatabase, ids),
    rules: () => readFile(join(fixture.home, 'databases', made.id, 'configuration/pg_hba.conf'), 'utf8'),
  };
};

it('a database is not opened to networks outside unless the administrator of the platform allows it', async () => {
  const database = await running({});
  const reason = expect.stringContaining('databases.external_host');
  expect(await database.get()).toEqual({ ...CLOSED, unavailable_reason: reason });
  await expect(database.update({ enabled: true, allowed_cidrs: [NETWORK] })).rejects.toMatchObject({
    code: 'external_access_not_available',
    message: reason,
  });
  expect(await database.update({ allowed_cidrs: [NETWORK] })).toMatchObject({ enabled: false, host: null });
}, 240_000);

(process.getuid?.() === 0 ? it : it.skip)(
  'an open database has an address and a URL for clients outside, and the rules of its server follow each change',
  async () => {
    const database = await running({ POSTERN_PLATFORM_DATABASE_HOST: 'db.example.com' });
    expect(await database.get()).toEqual({ ...CLOSED, unavailable_reason: null });
    expect(await codeOf(database.update({ enabled: true }))).toBe('invalid_input');
    expect(await codeOf(database.update({ enabled: true, allowed_cidrs: [NETWORK] }, uuidv7()))).toBe(
      'database_not_found',
    );
    expect(await database.rules()).not.toContain('hostssl');

    const open = await database.update({ enabled: true, allowed_cidrs: [NETWORK] });
    expect(open).toEqual({
      ...{ enabled: true, allowed_cidrs: [NETWORK], open_to_everyone: false, unavailable_reason: null },
      ...{ host: 'db.example.com', port: expect.any(Number) },
    });
    expect(await database.get()).toEqual(open);
    expect(await database.rules()).toContain(`hostssl "app" "app" ${NETWORK} scram-sha-256\n`);
    const url = `^postgresql://app:[^@]+@db\\.example\\.com:${open.port}/app\\?sslmode=verify-full$`;
    const rotating = database.rotate();
    await fixture.reconcile();
    expect((await rotating).external_connection_url).toMatch(new RegExp(url));

    expect(await database.update({ allowed_cidrs: ['0.0.0.0/0'] })).toMatchObject({ open_to_everyone: true });
    expect(await database.rules()).toContain('hostssl "app" "app" 0.0.0.0/0 scram-sha-256\n');
    expect(await database.update({ enabled: false })).toMatchObject({ host: null, allowed_cidrs: ['0.0.0.0/0'] });
    expect(await database.rules()).not.toContain('hostssl');
  },
  240_000,
);
