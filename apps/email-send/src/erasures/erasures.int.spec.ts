import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type Database, KeyRing, type ServiceLog } from '@postern/service-host';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { migratedDatabase } from '../testing/migrated-database.js';
import type { ErasureOfService, StepReply } from './erasure.js';
import { ErasureRepository } from './erasure-repository.js';
import { ExecuteErasures } from './execute-erasures.js';
import { ErasureSteps } from './ports.js';
import { StartErasure } from './start-erasure.js';

const key = (id: string) => ({ id, key: randomBytes(32) });
const [older, newer] = [key('older'), key('newer')];
const ADDRESS = 'mary-jane@bücher.example';
const KEPT = 'mary-jane@xn--bcher-kva.example';
const finished: StepReply = { erased: [], kept: [], cursor: null, waiting_for: null, failure: null };

type Step = Parameters<ErasureSteps['run']>[1] & { readonly service: string };

/** Services that answer as scripted by the test, and record their requests. */
class ScriptedServices extends ErasureSteps {
  readonly taken: Step[] = [];
  answer: (step: Step) => StepReply | Promise<StepReply> = () => finished;

  override async run(service: ErasureOfService['service'], step: Omit<Step, 'service'>): Promise<StepReply> {
    this.taken.push({ service, ...step });
    return this.answer({ service, ...step });
  }
}

/** The process dies after the second step, before it has recorded the result. */
class DyingErasures extends ErasureRepository {
  private saves = 0;

  override async save(...progress: Parameters<ErasureRepository['save']>): Promise<boolean> {
    if (++this.saves === 2) throw new Error('killed');
    return super.save(...progress);
  }
}

const logged: unknown[] = [];
const log = {
  info: (line: object) => logged.push(line),
  warn: (line: object) => logged.push(line),
} as unknown as ServiceLog;

let postgres: TestPostgres;
let pool: pg.Pool;
let prisma: PrismaClient;
let services: ScriptedServices;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  const databaseUrl = await migratedDatabase(postgres);
  pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
}, 60_000);
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});
beforeEach(async () => {
  await pool.query('TRUNCATE erasures');
  services = new ScriptedServices();
});

const erasuresUnder = (...keys: ReturnType<typeof key>[]) =>
  new ErasureRepository({ pool } as Database, prisma, new KeyRing(keys));
const start = (address: string, erasures = erasuresUnder(older)) => new StartErasure(erasures).execute({ address });
const drive = (erasures = erasuresUnder(older)) =>
  new ExecuteErasures(erasures, services, log).run(new AbortController());
const untilCompleted = (erasures = erasuresUnder(older)) =>
  waitFor(
    async () => {
      await drive(erasures);
      const [newest] = (await erasures.list({ limit: 1 })).erasures;
      return newest?.status === 'completed' ? newest : undefined;
    },
    { timeoutMs: 20_000 },
  );
const stored = async () => JSON.stringify((await pool.query('SELECT * FROM erasures')).rows);

it('calls every service until a pass finds nothing, and keeps no address then', async () => {
  const { id, replacement } = await start(ADDRESS);
  expect(await stored()).not.toContain('mary-jane');
  const { pass, completed_at } = await untilCompleted();
  expect([pass, completed_at]).toEqual([2, expect.any(String)]);
  expect(services.taken.map(({ service }) => service)).toEqual([
    ...['email-send', 'delivery-tracking', 'webhook-dispatch', 'platform-management'],
    ...['email-send', 'delivery-tracking', 'webhook-dispatch', 'platform-management'],
  ]);
  expect(new Set(services.taken.map(({ address }) => address))).toEqual(new Set([KEPT]));
  const { rows } = await pool.query('SELECT id, sealed_address, replacement FROM erasures');
  expect(rows).toEqual([{ id, sealed_address: null, replacement }]);
  expect(await stored()).not.toContain('mary-jane');
}, 30_000);

it('repeats a step whose result was not recorded, from the same place', async () => {
  await start(ADDRESS);
  services.answer = ({ cursor }) => ({ ...finished, cursor: cursor === null ? 'page 2' : null });
  await expect(drive(new DyingErasures({ pool } as Database, prisma, new KeyRing([older])))).rejects.toThrow('killed');
  await drive();
  expect(services.taken.slice(0, 3).map(({ service, cursor }) => [service, cursor])).toEqual([
    ['email-send', null],
    ['email-send', 'page 2'],
    ['email-send', 'page 2'],
  ]);
});

it('continues with the other services when one fails, reports the reason, and retries that one', async () => {
  const { id } = await start(ADDRESS);
  let isAway = true;
  services.answer = ({ service }) => {
    if (service === 'delivery-tracking' && isAway) throw new Error('delivery-tracking is not running');
    return finished;
  };
  await drive();
  const states = (await erasuresUnder(older).get({ erasure_id: id })).services.map(({ state, reason }) => [
    state,
    reason,
  ]);
  expect(states).toEqual([
    ['done', null],
    ['failed', 'delivery-tracking is not running'],
    ['done', null],
    ['done', null],
  ]);
  isAway = false;
  expect((await untilCompleted()).id).toBe(id);
}, 30_000);

it('joins a running erasure of the same address, however it is written, and passes once more over all services', async () => {
  const first = await start(ADDRESS);
  let again: unknown;
  services.answer = async ({ service }) => {
    // During the step of the last service in the second pass.
    if (service === 'platform-management' && services.taken.length === 8)
      again = await start('"Mary-Jane"@XN--BCHER-KVA.example');
    return finished;
  };
  const done = await untilCompleted();
  expect(again).toMatchObject({ id: first.id, replacement: first.replacement });
  expect(done.pass).toBeGreaterThan(2);
}, 30_000);

it('runs a completed erasure again with the same replacement, found under a rotated key as well', async () => {
  const first = await start(ADDRESS);
  await untilCompleted();
  const rotated = erasuresUnder(newer, older);
  expect(await start(ADDRESS, rotated)).toMatchObject({
    id: first.id,
    replacement: first.replacement,
    status: 'running',
  });
  await untilCompleted(rotated);
  expect((await pool.query('SELECT FROM erasures')).rowCount).toBe(1);
  // The older key is gone.
  expect((await start(ADDRESS, erasuresUnder(newer))).id).toBe(first.id);
}, 30_000);

it('reports that the key of the sealed address is missing', async () => {
  const { id } = await start(ADDRESS);
  await drive(erasuresUnder(newer));
  expect((await erasuresUnder(newer).get({ erasure_id: id })).services[0]).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('POSTERN_ENCRYPTION_KEYS'),
  });
  expect(services.taken).toEqual([]);
});

it('refuses a text that is not an address', () =>
  expect(start('mary jane')).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('malformed'),
  }));

it('writes no address into a log', () => expect(JSON.stringify(logged)).not.toContain('mary'));
