import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { MailboxHashes } from '../code-opt-outs/ports.js';
import { migratedDatabase } from '../testing/migrated-database.js';
import { PostgresNoticeLimits } from './postgres-notice-limits.js';

class Hashes extends MailboxHashes {
  override async hashOf(address: string) {
    return Buffer.from(address);
  }
}

let postgres: TestPostgres;
let pool: pg.Pool;
let limits: PostgresNoticeLimits;
beforeAll(async () => {
  postgres = await startPostgres();
  pool = new pg.Pool({ connectionString: await migratedDatabase(postgres), max: 8 });
  limits = new PostgresNoticeLimits({ pool }, new Hashes());
}, 60_000);
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

const NOON = new Date('2026-03-04T12:00:00Z');
const notice = (kind: string, address: string, at = NOON) => ({ kind, address, at });
const taken = async (count: number, one: ReturnType<typeof notice>) =>
  (await Promise.all(Array.from({ length: count }, () => limits.take(one)))).filter(Boolean).length;

describe('notices to a mailbox', () => {
  const newAddress = () => `${randomBytes(4).toString('hex')}@x.test`;

  it('are ten an hour and twenty a day of each kind, also at the same time', async () => {
    const address = newAddress();
    expect(await taken(15, notice('removed', address))).toBe(10);
    expect(await taken(15, notice('removed', address, new Date(NOON.getTime() + 3_600_000)))).toBe(10);
    expect(await taken(5, notice('removed', address, new Date(NOON.getTime() + 7_200_000)))).toBe(0);
    expect(await taken(5, notice('removed', address, new Date(NOON.getTime() + 86_400_000)))).toBe(5);
    expect(await taken(5, notice('password', address))).toBe(5);
    expect(await taken(5, notice('removed', newAddress()))).toBe(5);
  });

  it('do not count when they were not sent', async () => {
    const one = notice('removed', newAddress());
    expect(await taken(10, one)).toBe(10);
    await limits.release(one);
    expect(await taken(2, one)).toBe(1);
  });
});
