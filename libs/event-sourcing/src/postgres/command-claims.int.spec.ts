import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { claimedPool } from './claimed-pool.js';
import { ClaimLost } from './claimed-writes.js';
import { ClaimedCommand, CommandClaims } from './command-claims.js';
import { PostgresEventStore } from './postgres-event-store.js';
import { migrateEventStore } from './schema.js';
import { inTransaction } from './transaction.js';

let postgres: TestPostgres;
let pool: pg.Pool;
let claims: CommandClaims;

const REQUEST = { caller: 'workspace user', key: 'order 1', fingerprint: 'a' };
const write = () => pool.query(`INSERT INTO things VALUES ('one')`);
const things = async () => (await pool.query('SELECT FROM things')).rowCount;
const claimed = async (request = REQUEST) => (await claims.claim(request)) as ClaimedCommand;
const isCarriedOut = async () =>
  (await pool.query<{ carried_out: boolean }>('SELECT carried_out FROM event_store.command_claims')).rows[0]
    ?.carried_out;
/** What the death of the process does after the lease. */
const leaseEnds = () => pool.query(`UPDATE event_store.command_claims SET lease_until = now() - interval '1 second'`);

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  pool = claimedPool(new pg.Pool({ connectionString: await postgres.createDatabase(), max: 8 }));
  await migrateEventStore(pool);
  await pool.query('CREATE TABLE things (name text)');
  claims = new CommandClaims(pool);
}, 60_000);
beforeEach(() => pool.query('TRUNCATE things, event_store.command_claims'));
afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

describe('The transactions of a claimed command record that it was carried out:', () => {
  const store = () => new PostgresEventStore(pool);
  const append = () =>
    store().append('thing-1', [{ type: 'done.v1', data: {} }], {
      expectedVersion: 'any',
      metadata: { correlationId: 'c' },
    });

  it.each<[string, () => Promise<unknown>]>([
    ['a single statement', write],
    ['a transaction', () => inTransaction(pool, client => client.query(`INSERT INTO things VALUES ('one')`))],
    ['an append to the event store', append],
  ])('%s', async (_, work) => {
    const command = await claimed();
    await command.run(work);
    expect(await isCarriedOut()).toBe(true);
    expect(await command.release()).toBe(false);
    await expect(claims.claim(REQUEST)).resolves.toMatchObject({
      isCarriedOut: true,
      isHeld: false,
      answer: undefined,
    });
  });

  it('but not one that only reads', async () => {
    const command = await claimed();
    await command.run(() => things());
    expect(await isCarriedOut()).toBe(false);
    expect(await command.release()).toBe(true);
    await expect(claims.claim(REQUEST)).resolves.toBeInstanceOf(ClaimedCommand);
  });

  it('and not one that is rolled back', async () => {
    const command = await claimed();
    const failing = inTransaction(pool, async client => {
      await client.query(`INSERT INTO things VALUES ('one')`);
      throw new Error('no');
    });
    await expect(command.run(() => failing)).rejects.toThrow('no');
    expect([await isCarriedOut(), await things()]).toEqual([false, 0]);
  });

  it('and an append that another request made at the same time belongs to that request', async () => {
    const command = await claimed();
    await Promise.all([append(), command.run(() => things()), append()]);
    expect(await isCarriedOut()).toBe(false);
  });
});

describe('A command whose process was interrupted', () => {
  it('is held until its lease ends, which its process renews', async () => {
    const command = await claimed();
    await leaseEnds();
    await waitFor(async () => ((await claims.claim({ ...REQUEST, fingerprint: 'b' })) as { isHeld?: boolean }).isHeld, {
      describe: 'the renewal',
    });
    await command.release();
  });

  it('before its commit is left to a repetition, and cannot commit any more', async () => {
    const paused = await claimed();
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const late = paused.run(() =>
      inTransaction(pool, async client => {
        await client.query(`INSERT INTO things VALUES ('one')`);
        await goesOn;
      }),
    );
    await leaseEnds();
    const repeated = await claimed();
    expect(repeated).toBeInstanceOf(ClaimedCommand);
    await repeated.run(write);
    goOn();
    await expect(late).rejects.toThrow(ClaimLost);
    expect(await things()).toBe(1);
  });

  it('after its commit is never carried out again', async () => {
    const killed = await claimed();
    await killed.run(write);
    await leaseEnds();
    await expect(claims.claim(REQUEST)).resolves.toMatchObject({ isCarriedOut: true, isHeld: false });
    expect(await things()).toBe(1);
  });
});

it('A connection that a claimed command has used marks nothing for its next user', async () => {
  const command = await claimed();
  await Promise.all(Array.from({ length: 8 }, () => command.run(() => things())));
  await Promise.all(Array.from({ length: 8 }, () => write()));
  expect([await isCarriedOut(), await things()]).toEqual([false, 8]);
});

it('A key is free again 24 hours after its first use, and its row is deleted, by the clock of the database', async () => {
  const command = await claimed();
  await command.run(write);
  await command.end('"answer"');
  const age = (interval: string) =>
    pool.query(`UPDATE event_store.command_claims SET claimed_at = now() - interval '${interval}'`);
  await age('23 hours 59 minutes');
  await claims.purge();
  await expect(claims.claim(REQUEST)).resolves.toMatchObject({ answer: '"answer"' });
  await age('24 hours 1 minute');
  await expect(claims.claim({ ...REQUEST, fingerprint: 'b' })).resolves.toBeInstanceOf(ClaimedCommand);
  await age('24 hours 1 minute');
  await claims.purge();
  expect((await pool.query('SELECT FROM event_store.command_claims')).rowCount).toBe(0);
});
