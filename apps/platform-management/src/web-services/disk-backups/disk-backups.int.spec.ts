import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { createDiskBackup, RequestOf } from '@postern/contracts';
import { type DiskRestore, type Runtime, RuntimeUnavailable } from '@postern/runtime';
import { type ChangeNotices, Database } from '@postern/service-host';
import { Secret } from '@postern/service-host/config';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { PrismaClient } from '../../generated/prisma/client.js';
import type { ProjectOwners } from '../../projects/ports.js';
import { silentLog } from '../../testing/assemble-replica.js';
import { OWNER } from '../../testing/fake-neighbours.js';
import { type Replica, WebServicesFixture } from '../../testing/web-services-fixture.js';
import type { WebServiceUrls } from '../services/web-service-urls.js';
import { WebServices } from '../services/web-services.projection.js';
import { CreateDiskBackup } from './create-disk-backup.js';
import { DiskBackupAccess } from './disk-backup-access.js';
import { DiskBackupReconciler } from './disk-backup-reconciler.js';
import { DiskBackupRecords } from './disk-backup-records.js';
import { ListDiskBackups } from './list-disk-backups.js';
import { RestoreDiskBackup } from './restore-disk-backup.js';

const DIGEST = 'a'.repeat(64);
const KEPT = 2;
const never = new AbortController().signal;
const refusal = (code: string) => expect.objectContaining({ code });

/** A runtime for backups of disks. */
class DiskMachine {
  readonly features = new Set<string>(['diskBackups']);
  readonly restored: DiskRestore[] = [];
  readonly kept = new Map<string, readonly string[]>();
  failure: Error | undefined;

  readonly runtime = {
    features: async () => this.features,
    backUpDisk: async () => this.#done({ sizeBytes: 7, digest: DIGEST }),
    restoreDisk: async (restore: DiskRestore) => {
      await this.#done(undefined);
      this.restored.push(restore);
    },
    retainDiskBackups: async (id: string, backupIds: ReadonlySet<string>) => void this.kept.set(id, [...backupIds]),
  } as unknown as Runtime;

  async #done<Result>(result: Result): Promise<Result> {
    if (this.failure) throw this.failure;
    return result;
  }
}

let fixture: WebServicesFixture;
let replica: Replica;
let machine: DiskMachine;
let database: Database;
let records: DiskBackupRecords;
let webServices: WebServices;
beforeAll(async () => {
  fixture = await WebServicesFixture.start();
  const limits = { databaseStatementTimeoutMs: 30_000, databaseIdleInTransactionTimeoutMs: 30_000 };
  const config = { databaseUrl: new Secret(fixture.databaseUrl), databasePoolSize: 4, ...limits };
  database = new Database(config, 'disk-backups', silentLog);
  records = new DiskBackupRecords(database, new PrismaClient({ adapter: database.prismaAdapter() }));
  const projects = { isReached: async (caller: { user_id?: string }) => caller.user_id === OWNER };
  const urls = { of: async () => null } as unknown as WebServiceUrls;
  webServices = new WebServices(database, urls, projects as unknown as ProjectOwners);
}, 120_000);
afterAll(async () => {
  await database?.close();
  await fixture?.stop();
});
beforeEach(async () => {
  replica = await fixture.replica();
  machine = new DiskMachine();
});
afterEach(async () => {
  await fixture.stopReplicas();
  await fixture.pool.query('DELETE FROM backups');
});

const of = (web_service_id: string, user_id = OWNER) =>
  ({ web_service_id, user_id }) as unknown as RequestOf<typeof createDiskBackup>;
const access = () => new DiskBackupAccess(webServices, machine.runtime);
const create = (id: string, user = OWNER) => new CreateDiskBackup(access(), records).execute(of(id, user));
const list = (id: string, user = OWNER) => new ListDiskBackups(webServices, records).execute(of(id, user));
const restore = (id: string, backup_id: string) =>
  new RestoreDiskBackup(access(), records).execute({ ...of(id), backup_id } as never);
const reconcile = async (everyHours = 0) => {
  const changes = { add: () => undefined } as unknown as ChangeNotices;
  const settings = { everyHours, kept: KEPT };
  const reconciler = new DiskBackupReconciler(records, webServices, access(), machine.runtime, settings, changes);
  await reconciler.reconcile(never);
  await reconciler.settled();
};
/** A web service whose live release has a disk since this many hours. */
const withDisk = async (hours = 0) => {
  const { id } = await fixture.runningService(replica);
  await fixture.pool.query('UPDATE web_services SET disk_size_mib = 64 WHERE id = $1', [id]);
  await fixture.pool.query(
    `UPDATE releases SET settings = settings || '{"disk": {"size_mib": 64}}', begun_at = begun_at - make_interval(hours => $2)
     WHERE web_service_id = $1`,
    [id, hours],
  );
  return id;
};

describe('backups of a disk', () => {
  it('are made on request, restored with the current size, and deleted with the web service', async () => {
    const id = await withDisk();
    const requested = await create(id);
    expect(requested).toMatchObject({ web_service_id: id, status: 'creating', scheduled: false });
    await expect(create(id)).rejects.toEqual(refusal('backup_under_way'));
    await expect(restore(id, requested.id)).rejects.toEqual(refusal('backup_not_completed'));
    await reconcile();
    expect(await list(id)).toMatchObject([
      { id: requested.id, status: 'completed', size_bytes: 7, last_restore: null },
    ]);
    expect(machine.kept.get(id)).toEqual([requested.id]);

    const restoring = await restore(id, requested.id);
    await expect(restore(id, requested.id)).rejects.toEqual(refusal('restore_under_way'));
    await reconcile();
    const restoreId = restoring.id;
    expect(machine.restored).toEqual([
      { webServiceId: id, sizeMib: 64, restoreId, backupId: requested.id, digest: DIGEST },
    ]);
    expect(await list(id)).toMatchObject([{ last_restore: { id: restoreId, status: 'completed', error: null } }]);

    await replica.repository.deleteIfPresent(id, OWNER);
    await expect(records.request(id, uuidv7())).rejects.toEqual(refusal('web_service_not_found'));
    await waitFor(async () => (await records.listOf(id)).length === 0);
  });

  it('are refused without a disk, to others, and by a runtime that makes none', async () => {
    const { id: without } = await fixture.runningService(replica);
    await expect(create(without)).rejects.toEqual(refusal('disk_not_found'));
    const [one, other] = [await withDisk(), await withDisk()];
    await expect(create(one, uuidv7())).rejects.toEqual(refusal('web_service_not_found'));
    await expect(list(one, uuidv7())).rejects.toEqual(refusal('web_service_not_found'));
    const { id: backupId } = await create(one);
    await reconcile();
    await expect(restore(other, backupId)).rejects.toEqual(refusal('backup_not_found'));
    machine.features.clear();
    await expect(create(one)).rejects.toEqual(refusal('disk_backups_not_supported'));
    await expect(restore(one, backupId)).rejects.toEqual(refusal('disk_backups_not_supported'));
  });

  it('fail with a reason, wait while the agent does not respond, and fail two hours after the request', async () => {
    const id = await withDisk();
    await create(id);
    machine.failure = new RuntimeUnavailable();
    await reconcile();
    expect(await list(id)).toMatchObject([{ status: 'creating' }]);
    machine.failure = new Error('the disk of the platform is too full');
    await reconcile();
    expect(await list(id)).toMatchObject([{ status: 'failed', error: 'the disk of the platform is too full' }]);
    await create(id);
    await fixture.pool.query("UPDATE backups SET created_at = now() - interval '2 hours' WHERE status = 'creating'");
    machine.failure = undefined;
    await reconcile();
    expect((await list(id)).map(({ error }) => error)).toContain('it was not started within 2 hours of the request');
  });

  it('are made once a day of disks that were deployed, and the oldest are deleted', async () => {
    const [due, fresh] = [await withDisk(25), await withDisk()];
    const { id: without } = await fixture.runningService(replica);
    machine.features.clear();
    await reconcile(24);
    expect(await list(due)).toEqual([]);
    machine.features.add('diskBackups');
    for (let day = 0; day < KEPT + 2; day++) {
      await reconcile(24);
      await reconcile(24);
      expect((await list(due)).map(({ status }) => status)).toEqual(Array(Math.min(day + 1, KEPT)).fill('completed'));
      await fixture.pool.query("UPDATE backups SET created_at = created_at - interval '24 hours'");
    }
    expect(machine.kept.get(due)).toEqual((await list(due)).map(({ id }) => id));
    expect([await list(fresh), await list(without)]).toEqual([[], []]);
  });
});
