import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  attachDatabase,
  createProject,
  createWebService,
  detachDatabase,
  getDatabase,
  listDatabases,
} from '@postern/contracts';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { type CreatedDatabase, DatabasesFixture } from '../testing/databases-fixture.js';
import { ReleaseConfigurations } from '../web-services/environment/ports.js';

jest.setTimeout(180_000);

let fixture: DatabasesFixture;
let caller: { user_id: string; workspace_id: string };
let project_id: string;
let web_service_id: string;
let database: CreatedDatabase;
beforeAll(async () => {
  fixture = await DatabasesFixture.start();
}, 180_000);
afterAll(() => fixture?.stop());

beforeEach(async () => {
  caller = { user_id: uuidv7(), workspace_id: uuidv7() };
  ({ id: project_id } = await fixture.client.request(createProject, { ...caller, name: 'Shop' }));
  const git_repository_url = 'https://git.example.com/shop.git';
  const service = { ...caller, name: 'storefront', project_id, git_repository_url, port: 3000 };
  web_service_id = (await fixture.client.request(createWebService, service)).id;
  database = await fixture.create({ workspace_id: caller.workspace_id });
  await fixture.run(database, caller.workspace_id);
});

const ofDatabase = () => ({ ...caller, database_id: database.id });
/** The web services that may connect, as the runtime agent has recorded them. */
const admitted = async () =>
  (
    JSON.parse(await readFile(join(fixture.home, 'databases', database.id, 'record.json'), 'utf8')) as {
      attachedTo?: readonly string[];
    }
  ).attachedTo;

describe('the web services that may connect to a database', () => {
  it('are those to which it is attached, as soon as the reply arrives', async () => {
    expect(await admitted()).toEqual([]);
    const attachment = await fixture.client.request(attachDatabase, { ...ofDatabase(), web_service_id });
    expect(await admitted()).toEqual([web_service_id]);
    await fixture.client.request(detachDatabase, { ...ofDatabase(), attachment_id: attachment.id });
    expect(await admitted()).toEqual([]);
  });

  it('are told to the runtime later if it is not there when they change', async () => {
    await fixture.agent.stop();
    await fixture.client.request(attachDatabase, { ...ofDatabase(), web_service_id });
    expect(await admitted()).toEqual([]);
    await fixture.agent.start();
    for (const until = Date.now() + 30_000; (await admitted())?.length === 0 && Date.now() < until; )
      await fixture.reconcile();
    expect(await admitted()).toEqual([web_service_id]);
  });
});

describe('a database that was created at another address', () => {
  it('has the current address in replies and connection URLs, and its web services are restarted', async () => {
    const current = new URL(database.connection_url).hostname;
    await fixture.client.request(attachDatabase, { ...ofDatabase(), web_service_id });
    await fixture.query('UPDATE databases SET host = $2 WHERE id = $1', [database.id, '192.0.2.1']);
    expect((await fixture.client.request(getDatabase, ofDatabase())).hostnames).toEqual(['192.0.2.1']);
    const rotations = () =>
      fixture.query<{ rotation: number; applied_rotation: number }>(
        'SELECT rotation, applied_rotation FROM database_credentials WHERE database_id = $1',
        [database.id],
      );
    expect(await rotations()).toEqual([{ rotation: 0, applied_rotation: 0 }]);
    // A new leader asks the runtime for the address, and restarts attached web services like after a new password.
    await fixture.restart();
    for (let pass = 0; pass < 3; pass++) await fixture.reconcile();
    expect(await rotations()).toEqual([{ rotation: 1, applied_rotation: 1 }]);

    expect((await fixture.client.request(getDatabase, ofDatabase())).hostnames).toEqual([current]);
    const { items } = await fixture.client.request(listDatabases, { ...caller, limit: 10, offset: 0 });
    expect(items.map(({ hostnames }) => hostnames)).toEqual([[current]]);
    const { environment } = await fixture.part(ReleaseConfigurations).current(web_service_id, project_id, 'production');
    expect(new URL(environment['DATABASE_URL']!).host).toBe(new URL(database.connection_url).host);
  });
});

describe('a database with connections up to the limit of its plan', () => {
  it('is running, with the reason why clients are refused', async () => {
    const { limits } = await fixture.client.request(getDatabase, ofDatabase());
    const pool = new pg.Pool({ connectionString: database.connection_url, max: limits.connections });
    const clients = await Promise.all(Array.from({ length: limits.connections }, () => pool.connect()));
    try {
      expect(await fixture.client.request(getDatabase, ofDatabase())).toMatchObject({
        status: 'running',
        status_reason: expect.stringMatching(/^busy: all \d+ connections/),
      });
      await fixture.reconcile();
      expect((await fixture.client.request(getDatabase, ofDatabase())).status).toBe('running');
    } finally {
      for (const client of clients) client.release(true);
      await pool.end();
    }
  });
});
