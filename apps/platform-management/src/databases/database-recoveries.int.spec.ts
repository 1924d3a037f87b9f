import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  createDatabase,
  createDatabaseBackup,
  deleteDatabase,
  getDatabase,
  type RequestInput,
} from '@postern/contracts';
import { instant, waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { ordersOf, queried } from '../testing/database-client.js';
import { DatabasesFixture } from '../testing/databases-fixture.js';
import { refusalCode as codeOf } from '../testing/refusal-code.js';
import { DatabaseBackupRecords } from './database-backup-records.js';

jest.setTimeout(300_000);

let fixture: DatabasesFixture;
beforeAll(async () => {
  fixture = await DatabasesFixture.start();
  // The agent prepares the networks of the machine for its first database.
  const first = () => fixture.create({ workspace_id: uuidv7() }).catch(() => undefined);
  await waitFor(async () => (await first()) !== undefined, { timeoutMs: 120_000 });
}, 300_000);
afterAll(() => fixture?.stop());

type RestoreFrom = RequestInput<typeof createDatabase>['restore_from'];

/** A database with the row 1 in its backup, and the row 2 after it. */
const source = async () => {
  const workspace_id = uuidv7();
  const made = await fixture.create({ workspace_id });
  await fixture.run(made, workspace_id);
  await queried(made, 'CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)');
  const of = { workspace_id, database_id: made.id };
  const backup = await fixture.client.request(createDatabaseBackup, of);
  await fixture.reconcileBackups();
  await queried(made, 'INSERT INTO orders VALUES (2)');
  const from = (data: { backup_id?: string; target_time?: string }) => ({ database_id: made.id, ...data });
  return {
    made,
    of,
    backup,
    from,
    create: (restore_from: RestoreFrom, overrides: Partial<RequestInput<typeof createDatabase>> = {}) =>
      fixture.create({ workspace_id, name: 'Orders before', restore_from, ...overrides }),
    get: async ({ id: database_id }: { id: string } = made) =>
      fixture.client.request(getDatabase, { workspace_id, database_id }),
  };
};

describe('a new database with the data of another one', () => {
  it('has those of a backup, or of a point in time, and its own password', async () => {
    const { made, of, backup, from, create, get } = await source();
    const targetTime = await instant();
    await queried(made, 'INSERT INTO orders VALUES (3); DELETE FROM orders WHERE id = 1');

    const restored = await create(from({ backup_id: backup.id }));
    const recovered = await create(from({ target_time: targetTime }));
    expect(restored.status).toBe('creating');
    // It is never created empty.
    await fixture.reconcile();
    expect((await get(restored)).status).toBe('creating');

    await fixture.reconcileBackups();
    await fixture.run(restored, of.workspace_id);
    await fixture.run(recovered, of.workspace_id);
    expect(await ordersOf(restored)).toEqual([1]);
    expect(await ordersOf(recovered)).toEqual([1, 2]);
    expect(await ordersOf(made)).toEqual([2, 3]);
    expect(await get(recovered)).toMatchObject({ status: 'running', plan: 'starter', connection: { username: 'app' } });
    await fixture.client.request(deleteDatabase, { ...of, database_id: recovered.id });
    await fixture.reconcile();
    expect(await fixture.query('SELECT 1 FROM database_recoveries WHERE database_id = $1', [recovered.id])).toEqual([]);
  });

  it('is refused in words for what cannot be restored', async () => {
    const { made, of, backup, from, create, get } = await source();
    const { recovery } = await get();
    expect(recovery).toEqual({ earliest: expect.any(String), latest: expect.any(String), problem: null });
    const past = create(from({ target_time: '2020-01-01T00:00:00Z' }));
    await expect(past).rejects.toMatchObject({
      code: 'target_time_unavailable',
      message: expect.stringMatching(
        /^restore_from.target_time: 2020-01-01T00:00:00.000Z cannot be recovered; choose a time from .*Z to .*Z$/,
      ),
    });
    expect(await codeOf(create(from({ target_time: '2100-01-01T00:00:00Z' })))).toBe('target_time_unavailable');
    expect(await codeOf(create(from({ backup_id: uuidv7() })))).toBe('backup_not_found');
    expect(await codeOf(create({ database_id: uuidv7(), backup_id: backup.id }))).toBe('database_not_found');
    expect(await codeOf(create(from({ backup_id: backup.id }), { workspace_id: uuidv7() }))).toBe('database_not_found');
    for (const [field, overrides] of [
      ['kind', { kind: 'key_value' }],
      ['version', { version: '15' }],
    ] as const)
      await expect(create(from({ backup_id: backup.id }), overrides)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(`${field}: `),
      });
    await fixture.query("UPDATE databases SET plan = 'basic', storage_bytes = 5 * 2 ^ 30 WHERE id = $1", [made.id]);
    await expect(create(from({ backup_id: backup.id }))).rejects.toMatchObject({
      message: expect.stringContaining('plan: choose one that stores as much as `basic`'),
    });
    const other = await fixture.create({ workspace_id: of.workspace_id });
    await fixture.run(other, of.workspace_id);
    const foreign = create({ database_id: other.id, backup_id: backup.id });
    expect(await codeOf(foreign)).toBe('backup_not_found');
    const early = create({ database_id: other.id, target_time: await instant() });
    await expect(early).rejects.toMatchObject({ message: expect.stringContaining('create a backup to begin with') });
  });

  it('fails with a reason if its backup is gone, and keeps the backup as long as it is needed', async () => {
    const { of, made, backup, from, create, get } = await source();
    const restored = await create(from({ backup_id: backup.id }));
    const records = fixture.part(DatabaseBackupRecords);
    await fixture.query("UPDATE backups SET created_at = now() - interval '1 day' WHERE id = $1", [backup.id]);
    await records.request(made.id, uuidv7());
    await fixture.query("UPDATE backups SET status = 'completed' WHERE resource_id = $1", [made.id]);
    await records.deleteOld(1);
    expect((await records.listOf(made.id)).map(({ id }) => id)).toContain(backup.id);

    await fixture.client.request(deleteDatabase, of);
    await fixture.reconcileBackups();
    await fixture.reconcile();
    expect(await get(restored)).toMatchObject({
      status: 'failed',
      status_reason: 'could not be restored: the backup is gone',
    });
    expect(existsSync(join(fixture.home, 'databases', restored.id))).toBe(false);
  });

  it('is completed after a kill of the agent during its recovery, and nothing is left of the first attempt', async () => {
    const { of, from, create } = await source();
    const targetTime = await instant();
    const recovered = await create(from({ target_time: targetTime }));
    const folder = join(fixture.home, 'databases', recovered.id);
    const done = fixture.reconcileBackups();
    await waitFor(async () => existsSync(join(folder, 'restore/server.log')), { timeoutMs: 60_000, intervalMs: 5 });
    await fixture.agent.kill();
    await fixture.agent.start();
    await done;
    await fixture.run(recovered, of.workspace_id);
    expect(await ordersOf(recovered)).toEqual([1, 2]);
    expect(existsSync(join(folder, 'restore'))).toBe(false);
  });

  it('fails 2 hours after its request if the agent does not come back', async () => {
    const { from, backup, create, get } = await source();
    const restored = await create(from({ backup_id: backup.id }));
    await fixture.query(
      "UPDATE database_recoveries SET created_at = now() - interval '2 hours 1 second' WHERE database_id = $1",
      [restored.id],
    );
    await fixture.reconcileBackups();
    await fixture.reconcile();
    expect(await get(restored)).toMatchObject({
      status: 'failed',
      status_reason: 'could not be restored: the restore was not started within 2 hours',
    });
  });
});

describe('scheduled backups', () => {
  it('begin an hour after the creation, and again after a restore', async () => {
    const { made, backup } = await source();
    const records = fixture.part(DatabaseBackupRecords);
    const scheduled = async () => (await records.listOf(made.id)).filter(each => each.scheduled).length;
    await records.requestDue(24);
    expect(await scheduled()).toBe(0);
    await fixture.query("UPDATE databases SET created_at = now() - interval '61 minutes' WHERE id = $1", [made.id]);
    await records.requestDue(24);
    await fixture.query("UPDATE backups SET status = 'completed' WHERE resource_id = $1", [made.id]);
    await records.requestDue(24);
    expect(await scheduled()).toBe(1);
    await records.requestRestore(made.id, backup.id, uuidv7());
    await fixture.query(
      "UPDATE restores SET status = 'completed', finished_at = now() + interval '1 second' WHERE resource_id = $1",
      [made.id],
    );
    await records.requestDue(24);
    expect(await scheduled()).toBe(2);
  });
});
