import { expect } from '@jest/globals';
import { eventually, waitFor } from '@postern/testing';
import { queryAt } from '../platform/database-query.js';
import type { PlatformWorld } from '../platform/platform-world.js';
import { accepted, type KilledOperation, type Row } from './killed-operations.js';

const WITHIN_MS = 120_000;

/** A relational database of the test. */
export class StoryDatabase {
  private constructor(
    readonly path: string,
    readonly url: string,
  ) {}

  static async running(platform: PlatformWorld, name: string): Promise<StoryDatabase> {
    const made = await accepted(platform, 'POST', '/databases', { name, kind: 'relational', plan: 'starter' });
    const path = `/databases/${made['id']}`;
    await waitFor(async () => (await platform.reader.get(path)).body['status'] === 'running', {
      timeoutMs: WITHIN_MS,
      intervalMs: 100,
      describe: `${path} to run`,
    });
    return new StoryDatabase(path, String(made['connection_url']));
  }
}

export const rotating = (platform: PlatformWorld): KilledOperation => {
  let database: StoryDatabase;
  let rotated: string;
  return {
    begin: async () => {
      database = await StoryDatabase.running(platform, 'rotated');
    },
    meanwhile: async () => {
      rotated = String((await accepted(platform, 'POST', `${database.path}/rotate`))['connection_url']);
    },
    verify: async () => {
      await eventually(async () => expect(await queryAt(rotated, 'SELECT 1 AS one')).toEqual([{ one: 1 }]), {
        timeoutMs: WITHIN_MS,
        intervalMs: 200,
      });
      await expect(queryAt(database.url, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    },
  };
};

/** `kill` is called a second time during the restore. */
export const backingUp = (platform: PlatformWorld, kill: () => Promise<void>): KilledOperation => {
  let database: StoryDatabase;
  let backupId: string;
  const backup = async (): Promise<Row | undefined> => {
    const { body } = await platform.world.callDashboardApi('GET', `${database.path}/backups`);
    return (body as unknown as readonly Row[]).find(({ id }) => id === backupId);
  };
  const until = (condition: (row: Row | undefined) => boolean, describe: string) =>
    waitFor(async () => condition(await backup()), { timeoutMs: WITHIN_MS, intervalMs: 100, describe });
  return {
    begin: async () => {
      database = await StoryDatabase.running(platform, 'restored');
      await queryAt(database.url, 'CREATE TABLE orders AS SELECT generate_series(1, 100000) AS id');
    },
    meanwhile: async () => {
      backupId = String((await accepted(platform, 'POST', `${database.path}/backups`))['id']);
    },
    verify: async () => {
      await until(row => row?.['status'] === 'completed', 'the backup to be completed');
      await queryAt(database.url, 'INSERT INTO orders VALUES (0)');
      await Promise.all([accepted(platform, 'POST', `${database.path}/backups/${backupId}/restore`), kill()]);
      const restoreOf = (row: Row | undefined) => row?.['last_restore'] as Row | null | undefined;
      await until(row => restoreOf(row)?.['status'] === 'completed', 'the restore to be completed');
      expect(await queryAt(database.url, 'SELECT min(id), count(*)::int FROM orders')).toEqual([
        { min: 1, count: 100_000 },
      ]);
    },
  };
};
