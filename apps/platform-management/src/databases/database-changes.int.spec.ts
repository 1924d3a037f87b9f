import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteDatabase, listDatabases } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { silentLog } from '../testing/assemble-replica.js';
import { DatabasesFixture } from '../testing/databases-fixture.js';

let world: DatabasesFixture;

beforeAll(async () => {
  world = await DatabasesFixture.start({
    log: silentLog,
    writeLine: () => undefined,
    flush: () => undefined,
  });
  await world.query(
    "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the database failed here'; END $$",
  );
}, 60_000);
afterAll(() => world?.stop());

/** Runs `attempt` while no event can be appended, which simulates a crash of the process before the append. */
const withoutAppends = async (attempt: () => Promise<unknown>) => {
  await world.query(
    'CREATE TRIGGER fail BEFORE INSERT ON event_store.events FOR EACH STATEMENT EXECUTE FUNCTION fail()',
  );
  await attempt();
  await world.query('DROP TRIGGER fail ON event_store.events');
};

const credentials = async () => (await world.query('SELECT 1 FROM database_credentials')).length;

describe('When an event of a database cannot be appended,', () => {
  it('a creation stores no credentials', async () => {
    const workspace_id = uuidv7();
    await withoutAppends(() => expect(world.create({ workspace_id })).rejects.toThrow());
    expect(await credentials()).toBe(0);
    expect(await world.client.request(listDatabases, { workspace_id })).toMatchObject({ total: 0 });
  });

  it('a deletion keeps the credentials until it is repeated', async () => {
    const workspace_id = uuidv7();
    const { id: database_id } = await world.create({ workspace_id });
    await world.client.request(deleteDatabase, { workspace_id, database_id });
    await withoutAppends(() => world.reconcile());
    expect(await credentials()).toBe(1);
    // The next attempt is delayed by one second.
    await waitFor(async () => {
      await world.reconcile();
      return (await credentials()) === 0;
    });
    expect(await world.client.request(listDatabases, { workspace_id })).toMatchObject({ total: 0 });
  });
});

describe('A workspace past its quota of databases', () => {
  const allow = (workspace_id: string, limits: object) =>
    world.query('INSERT INTO workspace_quotas VALUES ($1, $2)', [workspace_id, JSON.stringify(limits)]);
  const refused = (quota: string) => ({ code: 'quota_reached', details: expect.objectContaining({ quota }) });

  it('cannot create another database until one is deleted', async () => {
    const workspace_id = uuidv7();
    await allow(workspace_id, { databases: 1 });
    const { id: database_id } = await world.create({ workspace_id });
    await expect(world.create({ workspace_id })).rejects.toMatchObject(refused('databases'));
    await world.client.request(deleteDatabase, { workspace_id, database_id });
    await world.create({ workspace_id });
  });

  it('cannot exceed the number of creations in 24 hours by deleting databases', async () => {
    const workspace_id = uuidv7();
    await allow(workspace_id, { database_creations: 3 });
    for (let n = 0; n < 3; n++) {
      const { id: database_id } = await world.create({ workspace_id, plan: 'large' });
      await world.client.request(deleteDatabase, { workspace_id, database_id });
    }
    await expect(world.create({ workspace_id, plan: 'large' })).rejects.toMatchObject(refused('database_creations'));
    await world.query(
      "UPDATE database_creations SET created_at = now() - interval '25 hours' WHERE workspace_id = $1",
      [workspace_id],
    );
    await world.create({ workspace_id });
    const counted = await world.query('SELECT 1 FROM database_creations WHERE workspace_id = $1', [workspace_id]);
    expect(counted).toHaveLength(1);
  });
});
