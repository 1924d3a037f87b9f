import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { enableDatabaseExtension, getDatabase, listDatabaseExtensions } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { queried } from '../testing/database-client.js';
import { DatabasesFixture } from '../testing/databases-fixture.js';
import { refusalCode as codeOf } from '../testing/refusal-code.js';

let fixture: DatabasesFixture;
beforeAll(async () => {
  fixture = await DatabasesFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const workspace_id = uuidv7();
const running = async (version?: string) => {
  const made = await fixture.create({ workspace_id, version });
  await fixture.run(made, workspace_id);
  return { made, found: await fixture.client.request(getDatabase, { workspace_id, database_id: made.id }) };
};

it('a database has the version that was asked for, and one that is not installed is refused with those that are', async () => {
  const { server_version: version } = (await running()).found;
  const { made, found } = await running(version ?? undefined);
  expect(found).toMatchObject({ status: 'running', server_version: version });
  expect(await fixture.query('SELECT version FROM databases WHERE id = $1', [made.id])).toEqual([{ version }]);
  await expect(fixture.create({ workspace_id, version: '99' })).rejects.toMatchObject({
    code: 'technology_missing',
    message: expect.stringContaining('PostgreSQL 99 is not installed on the machine of the platform; choose one of'),
  });
  await expect(fixture.create({ workspace_id, kind: 'key_value', version: '17' })).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(/^version: /),
  });
}, 60_000);

it('the owner lists the extensions of a database and enables them', async () => {
  const { made } = await running();
  const ids = { workspace_id, database_id: made.id };
  const enable = (name: string) => fixture.client.request(enableDatabaseExtension, { ...ids, name });
  const enabled = await enable('citext');
  expect(enabled).toMatchObject({ name: 'citext', installed_version: enabled.version });
  expect(await fixture.client.request(listDatabaseExtensions, ids)).toContainEqual(enabled);
  expect(await queried(made, "SELECT 'A'::citext = 'a' AS same")).toEqual([{ same: true }]);
  await expect(enable('file_fdw')).rejects.toMatchObject({
    code: 'extension_not_available',
    message: expect.stringContaining('needs a superuser'),
  });
}, 60_000);

it('extensions of a database of another workspace, and of one that does not run yet, are refused', async () => {
  const made = await fixture.create({ workspace_id });
  const list = (workspace: string) =>
    fixture.client.request(listDatabaseExtensions, { workspace_id: workspace, database_id: made.id });
  expect(await codeOf(list(uuidv7()))).toBe('database_not_found');
  expect(await codeOf(list(workspace_id))).toBe('database_not_running');
  const restricted = { workspace_id, database_id: made.id, project_ids: [uuidv7()] };
  expect(await codeOf(fixture.client.request(listDatabaseExtensions, restricted))).toBe('database_not_found');
});
