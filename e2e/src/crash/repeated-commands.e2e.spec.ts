import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import pg from 'pg';
import { PlatformWorld, type Service } from '../platform/platform-world.js';
import type { ApiAnswer } from '../world.js';
import { killUntilRestarted } from './kill-and-restart.js';

const STORY_WITHIN_MS = 120_000;
const SERVICE = 'platform-management';

let platform: PlatformWorld;
let service: Service;
let database: pg.Client;

beforeAll(async () => {
  platform = await PlatformWorld.start();
  service = await platform.service({ 'index.html': 'hello' });
  database = new pg.Client({ connectionString: platform.world.postern.wiring.databaseUrl(SERVICE) });
  await database.connect();
  // Longer than the restart of a killed service.
  await database.query('SET idle_in_transaction_session_timeout = 0');
}, STORY_WITHIN_MS);

afterAll(async () => {
  await database?.end();
  await platform?.stop();
});

interface Command {
  readonly path: string;
  readonly body: (name: string) => Record<string, unknown>;
  /** How many resources of this name exist. */
  readonly count: (name: string) => Promise<number>;
}

const named = (answer: ApiAnswer, name: string): number =>
  (answer.body as unknown as { name: string }[]).filter(one => one.name === name).length;

const COMMANDS: readonly [string, Command][] = [
  [
    'a platform key',
    {
      path: '/dashboard/api/platform-keys',
      body: name => ({ name, scope: 'read' }),
      count: async name => named(await platform.world.callDashboardApi('GET', '/platform-keys'), name),
    },
  ],
  [
    'a project',
    {
      path: '/api/v1/projects',
      body: name => ({ name }),
      count: async name => named(await platform.reader.get('/projects'), name),
    },
  ],
  [
    'a web service',
    {
      path: '/api/v1/web-services',
      body: name => ({ name, project_id: service.projectId, git_repository_url: service.repository.url, port: 3000 }),
      count: async name => named(await platform.reader.get('/web-services'), name),
    },
  ],
];

const send = (path: string, body: unknown, key?: string): Promise<ApiAnswer> => {
  const token = path.startsWith('/api/v1') ? platform.writer.key : platform.world.token;
  return platform.world.call('POST', path, {
    headers: { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body,
  });
};

/** A client that obeys: it repeats with its key what may have been carried out, and what is still in progress. */
const obey = async (path: string, body: unknown, key: string): Promise<ApiAnswer> =>
  waitFor(
    async () => {
      const answer = await send(path, body, key);
      const isOver = answer.status < 500 && answer.headers.get('error-code') !== 'idempotency_key_in_flight';
      return isOver ? answer : undefined;
    },
    { timeoutMs: 60_000, intervalMs: 1_000, describe: 'the end of the command' },
  );

/** Like an index build or a long transaction of an operator: commands commit, and their read model waits. */
const holdReadModels = async (): Promise<void> => {
  await database.query('BEGIN');
  await database.query('SELECT pg_current_xact_id()');
};
const releaseReadModels = () => database.query('COMMIT');

const isCommitted = (key: string) =>
  waitFor(
    async () => {
      const other = new pg.Client({ connectionString: platform.world.postern.wiring.databaseUrl(SERVICE) });
      await other.connect();
      try {
        const { rows } = await other.query<{ carried_out: boolean }>(
          'SELECT carried_out FROM event_store.command_claims WHERE key = $1',
          [createHash('sha256').update(key).digest('hex')],
        );
        return rows[0]?.carried_out;
      } finally {
        await other.end();
      }
    },
    { timeoutMs: 20_000, intervalMs: 50, describe: 'the commit' },
  );

describe.each(COMMANDS)('The creation of %s', (what, { path, body, count }) => {
  it(
    'whose read model is delayed is answered as unknown, and its repetition gets the first answer',
    async () => {
      const name = `slow ${what}`;
      await holdReadModels();
      const first = await send(path, body(name), name).finally(() => releaseReadModels());
      expect([first.status, first.headers.get('error-code')]).toEqual([503, 'outcome_unknown']);
      expect(JSON.stringify(first.body)).toContain('Repeat it with the same Idempotency-Key');

      const repeated = await obey(path, body(name), name);
      expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(await obey(path, body(name), name)).toMatchObject({ body: repeated.body });
      expect(await count(name)).toBe(1);
      const other = await send(path, body(`other ${what}`), name);
      expect([other.status, other.headers.get('error-code')]).toEqual([409, 'idempotency_key_reused']);
    },
    STORY_WITHIN_MS,
  );

  it(
    'is carried out once if its service is killed after the commit; a repetition is told that the answer was lost',
    async () => {
      const name = `killed ${what}`;
      await holdReadModels();
      const first = send(path, body(name), name);
      await isCommitted(name);
      await killUntilRestarted(platform, SERVICE);
      await releaseReadModels();
      expect(await first).toMatchObject({ status: 503 });

      const repeated = await obey(path, body(name), name);
      expect([repeated.status, repeated.headers.get('error-code')]).toEqual([409, 'idempotency_answer_lost']);
      expect(await count(name)).toBe(1);
    },
    STORY_WITHIN_MS,
  );

  it(
    'is carried out by a repetition if its service is killed before the commit',
    async () => {
      const name = `uncommitted ${what}`;
      await database.query('BEGIN');
      await database.query('LOCK TABLE event_store.events IN EXCLUSIVE MODE');
      const first = send(path, body(name), name);
      await waitFor(async () => (await database.query(`SELECT FROM pg_locks WHERE NOT granted`)).rowCount, {
        timeoutMs: 20_000,
        intervalMs: 50,
        describe: 'the command to wait for its commit',
      });
      await killUntilRestarted(platform, SERVICE);
      await database.query('ROLLBACK');
      await first;

      const repeated = await obey(path, body(name), name);
      expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect(await count(name)).toBe(1);
    },
    STORY_WITHIN_MS,
  );
});

describe('A deployment', () => {
  const path = () => `/api/v1${service.path}/deployments`;
  const total = async () => Number((await platform.reader.get(`${service.path}/deployments`)).body['total']);

  it(
    'that is requested again after an unknown outcome is the same deployment',
    async () => {
      const before = await total();
      await holdReadModels();
      const first = await send(path(), {}, 'release 1').finally(() => releaseReadModels());
      expect(first.headers.get('error-code')).toBe('outcome_unknown');
      const repeated = await obey(path(), {}, 'release 1');
      expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
      expect(await total()).toBe(before + 1);
    },
    STORY_WITHIN_MS,
  );

  it(
    'without a key says where to look before it is repeated',
    async () => {
      await holdReadModels();
      const unknown = await send(path(), {}).finally(() => releaseReadModels());
      expect([unknown.status, unknown.headers.get('error-code')]).toEqual([503, 'outcome_unknown']);
      expect(unknown.body).toEqual({ detail: expect.stringContaining(`look whether it was: GET ${path()}.`) });
    },
    STORY_WITHIN_MS,
  );
});
