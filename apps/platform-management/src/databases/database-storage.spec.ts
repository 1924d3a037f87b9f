import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type DatabaseStorageEvent, databaseStorage, type StorageReport } from './database-storage.js';

const given = specificationOf(databaseStorage);
const at = '2026-01-02T03:04:05.678Z';
const reported = (usedBytes: number): StorageReport => ({
  kind: 'report-storage',
  databaseId: 'orders',
  workspaceId: 'shop',
  usedBytes,
  limitBytes: 100,
  at,
});
const nearlyFull: DatabaseStorageEvent = {
  type: 'platform-management.database-nearly-full.v1',
  data: { database_id: 'orders', workspace_id: 'shop', at },
};
const hasSpace: DatabaseStorageEvent = {
  type: 'platform-management.database-has-space.v1',
  data: { database_id: 'orders', at },
};

describe('the storage of a database', () => {
  it('is nearly full from 90 percent, recorded once', () => {
    given().when(reported(89)).yields();
    given().when(reported(90)).yields(nearlyFull);
    given(nearlyFull).when(reported(120)).yields();
  });

  it('has space again below 80 percent, and can become nearly full again', () => {
    given(nearlyFull).when(reported(80)).yields();
    given(nearlyFull).when(reported(79)).yields(hasSpace);
    given(nearlyFull, hasSpace).when(reported(95)).yields(nearlyFull);
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/database-storage'), databaseStorage);
});
