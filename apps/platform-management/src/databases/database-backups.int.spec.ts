import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createDatabaseBackup, deleteDatabase, listDatabaseBackups, restoreDatabaseBackup } from '@postern/contracts';
import { DatabaseBackups, type StoredBackup } from '@postern/runtime';
import { ChangeNotices } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { BackupSettings } from '../infrastructure/backups/ports.js';
import { ordersOf, queried } from '../testing/database-client.js';
import { DatabasesFixture } from '../testing/databases-fixture.js';
import { refusalCode as codeOf } from '../testing/refusal-code.js';
import { BackupReconciler } from './backup-reconciler.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { DatabaseOrders } from './database-orders.js';
import { DatabaseRecoveries } from './database-recoveries.js';
import { Databases } from './databases.projection.js';

const never = new AbortController().signal;

jest.setTimeout(300_000);

let fixture: DatabasesFixture;
beforeAll(async () => {
  fixture = await DatabasesFixture.start();
}, 180_000);
afterAll(() => fixture?.stop());

const provisioned = async () => {
  const workspace_id = uuidv7();
  const made = await fixture.create({ workspace_id });
  await fixture.run(made, workspace_id);
  await queried(made, 'CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)');
  const of = { workspace_id, database_id: made.id };
  return {
    made,
    of,
    folder: join(fixture.home, 'databases', made.id),
    list: () => fixture.client.request(listDatabaseBackups, of),
    backUp: () => fixture.client.request(createDatabaseBackup, of),
    restore: (backup_id: string) => fixture.client.request(restoreDatabaseBackup, { ...of, backup_id }),
    orders: () => ordersOf(made),
  };
};

describe('backups of a database', () => {
  it('are created on request, restored, and deleted with the database', async () => {
    const { made, of, folder, list, backUp, restore, orders } = await provisioned();
    const requested = await backUp();
    expect(requested).toMatchObject({ status: 'creating', scheduled: false, size_bytes: null, error: null });
    expect(await codeOf(backUp())).toBe('backup_under_way');
    expect(await codeOf(restore(requested.id))).toBe('backup_not_completed');
    await fixture.reconcileBackups();
    expect(await list()).toEqual([
      {
        ...requested,
        status: 'completed',
        size_bytes: expect.any(Number),
        finished_at: expect.any(String),
        last_restore: null,
      },
    ]);

    await queried(made, 'INSERT INTO orders VALUES (2)');
    const restoring = await restore(requested.id);
    expect(restoring).toMatchObject({ backup_id: requested.id, status: 'restoring', error: null });
    expect(await codeOf(restore(requested.id))).toBe('restore_under_way');
    await fixture.reconcileBackups();
    expect((await list())[0]?.last_restore).toMatchObject({ id: restoring.id, status: 'completed', error: null });
    expect(await orders()).toEqual([1]);

    await fixture.client.request(deleteDatabase, of);
    await fixture.reconcile();
    expect(existsSync(folder)).toBe(false);
    expect(await fixture.query('SELECT 1 FROM backups WHERE resource_id = $1', [made.id])).toEqual([]);
    expect(await fixture.query('SELECT 1 FROM restores WHERE resource_id = $1', [made.id])).toEqual([]);
    expect(await codeOf(list())).toBe('database_not_found');
  });

  it('are accessible only in the workspace of the database, and restore only that database', async () => {
    const [one, other] = [await provisioned(), await provisioned()];
    const { id: backup_id } = await one.backUp();
    await fixture.reconcileBackups();
    const foreign = { ...one.of, workspace_id: uuidv7() };
    expect(await codeOf(fixture.client.request(listDatabaseBackups, foreign))).toBe('database_not_found');
    expect(await codeOf(fixture.client.request(createDatabaseBackup, foreign))).toBe('database_not_found');
    expect(await codeOf(fixture.client.request(restoreDatabaseBackup, { ...foreign, backup_id }))).toBe(
      'database_not_found',
    );
    expect(await codeOf(other.restore(backup_id))).toBe('backup_not_found');
  });

  it('are created on schedule once a day, and the oldest are deleted', async () => {
    const { made, list, folder } = await provisioned();
    const records = fixture.part(DatabaseBackupRecords);
    const age = (hours: number) =>
      fixture.query('UPDATE backups SET created_at = created_at - make_interval(hours => $2) WHERE resource_id = $1', [
        made.id,
        hours,
      ]);
    await records.requestDue(24);
    expect(await list()).toEqual([]);
    await fixture.query("UPDATE databases SET created_at = now() - interval '25 hours' WHERE id = $1", [made.id]);
    for (let day = 0; day < 3; day++) {
      await records.requestDue(24);
      await records.requestDue(24);
      await fixture.reconcileBackups();
      expect((await list()).map(({ scheduled, status }) => [scheduled, status])).toEqual(
        Array.from({ length: day + 1 }, () => [true, 'completed']),
      );
      await records.requestDue(24);
      expect(await list()).toHaveLength(day + 1);
      await age(24);
    }
    await records.deleteOld(2);
    const kept = (await list()).map(({ id }) => id);
    expect(kept).toHaveLength(2);
    await records.requestDue(24);
    await fixture.reconcileBackups();
    const files = await readdir(join(folder, 'backups'));
    expect(files.sort()).toEqual((await list()).map(({ id }) => `${id}.zst`).sort());
    expect(files).toEqual(expect.arrayContaining(kept.map(id => `${id}.zst`)));
  });

  it('fail with a reason, and scheduled backups are retried an hour later', async () => {
    const { made, list } = await provisioned();
    const records = fixture.part(DatabaseBackupRecords);
    await fixture.query("UPDATE databases SET created_at = now() - interval '25 hours' WHERE id = $1", [made.id]);
    await records.requestDue(24);
    const id = (await list())[0]?.id ?? '';
    await records.failBackup(id, 'the disk of the platform is too full');
    expect(await list()).toMatchObject([{ status: 'failed', error: 'the disk of the platform is too full' }]);
    await records.requestDue(24);
    expect(await list()).toHaveLength(1);
    await fixture.query("UPDATE backups SET created_at = now() - interval '61 minutes' WHERE id = $1", [id]);
    await records.requestDue(24);
    expect(await list()).toHaveLength(2);
  });
});

/** Counts the backups that are made at the same time. */
class CountingBackups extends DatabaseBackups {
  readonly made: string[] = [];
  most = 0;
  #now = 0;

  override async backUp(databaseId: string): Promise<StoredBackup> {
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
    for (let turn = 0; turn < 500; turn++) await nextTurn();
    this.#now -= 1;
    this.made.push(databaseId);
    return { sizeBytes: 1, digest: 'a'.repeat(64) };
  }
  override async restore(): Promise<void> {}
  override async retainBackups(): Promise<void> {}
  override async recoveryOf(): Promise<undefined> {}
}

it('backups of several databases are made one after another', async () => {
  const ids: string[] = [];
  for (const workspace_id of [uuidv7(), uuidv7(), uuidv7()]) {
    const { id } = await fixture.create({ workspace_id });
    ids.push(id);
  }
  await fixture.query("UPDATE databases SET status = 'running' WHERE id = ANY($1)", [ids]);
  for (const id of ids) await fixture.part(DatabaseBackupRecords).request(id, uuidv7());
  const counting = new CountingBackups();
  const { everyHours, kept } = fixture.part(BackupSettings);
  const reconciler = new BackupReconciler(
    fixture.part(DatabaseBackupRecords),
    fixture.part(DatabaseRecoveries),
    fixture.part(Databases),
    fixture.part(DatabaseOrders),
    counting,
    { everyHours, kept },
    fixture.part(ChangeNotices),
  );
  for (let passes = 0; passes < 20 && ids.some(id => !counting.made.includes(id)); passes++) {
    await Promise.all([reconciler.reconcile(never), reconciler.reconcile(never)]);
    await reconciler.settled();
  }
  expect(counting.made).toEqual(expect.arrayContaining(ids));
  expect(counting.most).toBe(1);
});

describe('backups and restores survive a kill', () => {
  it('of the agent during a restore', async () => {
    const { made, list, backUp, restore, orders } = await provisioned();
    const { id } = await backUp();
    await fixture.reconcileBackups();
    await queried(made, 'INSERT INTO orders VALUES (2)');
    await restore(id);
    const restored = fixture.reconcileBackups();
    await waitFor(async () => existsSync(join(fixture.home, 'databases', made.id, 'restore')), { timeoutMs: 60_000 });
    await fixture.agent.kill();
    expect(await orders()).toEqual([1, 2]);
    await fixture.agent.start();
    await restored;
    expect((await list())[0]?.last_restore).toMatchObject({ status: 'completed' });
    expect(await orders()).toEqual([1]);
  });

  it('of the agent, which does not restart: the restore fails 2 hours after its request', async () => {
    const { made, list, backUp, restore, orders } = await provisioned();
    const { id } = await backUp();
    await fixture.reconcileBackups();
    await queried(made, 'INSERT INTO orders VALUES (2)');
    await restore(id);
    await fixture.query(
      "UPDATE restores SET created_at = now() - interval '2 hours' + interval '10 seconds' WHERE backup_id = $1",
      [id],
    );
    const restored = fixture.reconcileBackups();
    await waitFor(async () => existsSync(join(fixture.home, 'databases', made.id, 'restore')), { timeoutMs: 60_000 });
    await fixture.agent.kill();
    await restored;
    expect((await list())[0]?.last_restore).toMatchObject({
      status: 'failed',
      error: 'it was not completed within 2 hours of the request',
    });
    await fixture.agent.start();
    expect(await orders()).toEqual([1, 2]);
  });

  it('of the control plane during a backup', async () => {
    const { list, backUp } = await provisioned();
    const { id } = await backUp();
    const lost = new AbortController();
    const cut = fixture.reconcileBackups(lost.signal);
    lost.abort(new Error('the process ends'));
    await cut;
    expect(await list()).toMatchObject([{ id, status: 'creating' }]);
    await fixture.restart();
    await fixture.reconcileBackups();
    expect(await list()).toMatchObject([{ id, status: 'completed' }]);
  });
});
