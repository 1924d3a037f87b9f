import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database } from '@postern/service-host';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { SendingSettings } from '../relay/ports.js';
import { Retention } from '../retention/retention.js';
import { migratedDatabase } from '../testing/migrated-database.js';
import { PostgresOwnerMailClaims } from './postgres-owner-mail-claims.js';

let postgres: TestPostgres;
let pool: pg.Pool;
let claims: PostgresOwnerMailClaims;
beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  const databaseUrl = await migratedDatabase(postgres);
  pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  claims = new PostgresOwnerMailClaims({ pool } as unknown as Database);
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

const newClaim = () => ({ resourceId: uuidv7(), kind: 'failed', userId: uuidv7(), occurredAt: new Date() });
const later = <C extends { occurredAt: Date }>(claim: C, ms = 1): C => ({
  ...claim,
  occurredAt: new Date(claim.occurredAt.getTime() + ms),
});
const passAnHour = (resourceId: string) =>
  pool.query("UPDATE owner_mails SET claimed_at = claimed_at - interval '61 minutes' WHERE resource_id = $1", [
    resourceId,
  ]);

describe('the claim of a mail to an owner', () => {
  it('is granted once, even if several replicas try', async () => {
    const claim = newClaim();
    const taken = await Promise.all(Array.from({ length: 8 }, () => claims.take(claim)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('is refused for an hour, and granted again to a later event only', async () => {
    const claim = newClaim();
    expect(await claims.take(claim)).toBe(true);
    expect(await claims.take(later(claim))).toBe(false);
    await passAnHour(claim.resourceId);
    expect(await claims.take(claim)).toBe(false);
    expect(await claims.take(later(claim))).toBe(true);
    await passAnHour(claim.resourceId);
    expect(await claims.take(claim)).toBe(false);
  });

  it('is independent of other owners, kinds and resources', async () => {
    const claim = newClaim();
    expect(await claims.take(claim)).toBe(true);
    for (const other of [{ userId: uuidv7() }, { kind: 'crashed' }, { resourceId: uuidv7() }])
      expect(await claims.take({ ...claim, ...other })).toBe(true);
  });

  it('is released even if the database fails for a moment', async () => {
    const claim = newClaim();
    expect(await claims.take(claim)).toBe(true);
    const failures = [new Error('Connection terminated unexpectedly')];
    const query = async (text: string, values: unknown[]) => {
      const failure = failures.pop();
      if (failure) throw failure;
      return pool.query(text, values);
    };
    await new PostgresOwnerMailClaims({ pool: { query } } as unknown as Database).release(claim);
    expect(await claims.take(claim)).toBe(true);
  });

  it('can be taken again after nothing was sent, but not for an earlier event', async () => {
    const claim = newClaim();
    expect(await claims.take(claim)).toBe(true);
    await claims.release(claim);
    expect(await claims.take(later(claim, -1))).toBe(false);
    expect(await claims.take(claim)).toBe(true);
    expect(await claims.take(claim)).toBe(false);
  });

  it('is deleted when its event is old', async () => {
    const old = newClaim();
    await claims.take(old);
    const retention = new Retention({ pool }, {} as SendingSettings);
    await retention.purgeReports({ now: new Date(Date.now() + 2 * 86_400_000 + 1_000) });
    expect((await pool.query('SELECT 1 FROM owner_mails WHERE resource_id = $1', [old.resourceId])).rowCount).toBe(0);
  });
});
