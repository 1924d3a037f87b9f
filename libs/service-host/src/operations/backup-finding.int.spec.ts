import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { backupFinding } from './backup-finding.js';

const connected = async (postgres: TestPostgres): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  return client;
};

describe('The finding about backups', () => {
  let postgres: TestPostgres;
  let archiving: pg.Client;

  beforeAll(async () => {
    postgres = await startPostgres({ settings: { archive_mode: 'on', wal_level: 'replica' } });
    archiving = await connected(postgres);
  }, 60_000);
  afterAll(async () => {
    await archiving?.end();
    await postgres?.stop();
  });

  /**
   * Makes PostgreSQL archive a WAL segment with a command that succeeds or fails, and waits until it has recorded the
   * outcome.
   */
  const archive = async (command: 'true' | 'false', counter: 'archived_count' | 'failed_count') => {
    const count = async () =>
      Number((await archiving.query(`SELECT ${counter} AS count FROM pg_stat_archiver`)).rows[0].count);
    const before = await count();
    await archiving.query(`ALTER SYSTEM SET archive_command = '${command}'`);
    await archiving.query('SELECT pg_reload_conf()');
    await archiving.query(`SELECT pg_logical_emit_message(false, 'test', 'written'), pg_switch_wal()`);
    await waitFor(async () => (await count()) > before, { timeoutMs: 20_000 });
  };

  it('is not good while WAL archiving is off', async () => {
    const unarchived = await startPostgres();
    const client = await connected(unarchived);
    try {
      expect(await backupFinding(client)).toMatchObject({
        verdict: 'warning',
        found: expect.stringContaining('archive_mode off'),
        advice: expect.stringContaining('pg_basebackup'),
      });
    } finally {
      await client.end();
      await unarchived.stop();
    }
  });

  it('is not good if WAL archiving is on but has never succeeded', async () => {
    expect(await backupFinding(archiving)).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('no WAL archived yet'),
    });
  });

  it('is bad while archiving fails, and good once it succeeds again', async () => {
    await archive('false', 'failed_count');
    expect(await backupFinding(archiving)).toMatchObject({
      verdict: 'bad',
      found: expect.stringMatching(/no WAL archived yet; [0-9A-F]{24} failed at 20/),
    });
    await archive('true', 'archived_count');
    expect(await backupFinding(archiving)).toEqual({
      check: 'PostgreSQL backups',
      verdict: 'good',
      found: expect.stringMatching(/archive_mode on, WAL archived last at 20/),
    });
  });
});
