import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AuditRecord,
  exportAuditLog,
  listAuditLog,
  PLATFORM_KEY_USED,
  type RequestInput,
  recordAuditEntry,
} from '@postern/contracts';
import type { Database } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { Retention } from '../../retention/retention.js';
import { AccountsFixture, codeOf, OPERATOR, type User } from '../../testing/accounts-fixture.js';
import { AuditLog } from './audit-log.js';

let fixture: AccountsFixture;
let ada: User;
let bob: User;
beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR);
  [ada, bob] = [await fixture.newUser(), await fixture.newUser()];
}, 60_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  await fixture.query('DELETE FROM audit_entries');
});

/** The number of queries that wait for a lock in the database of the fixture. */
const waiting = async (pool: pg.Pool): Promise<number> =>
  (await pool.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
    .rowCount ?? 0;

const workspaceOf = ({ workspaces: [workspace] }: User) => workspace!.id;

const entry = (overrides: Partial<AuditRecord> = {}): AuditRecord => ({
  entry_id: uuidv7(),
  actor: { type: 'user', id: ada.id },
  action: 'email_service.created',
  resource: { type: 'email_service', id: null },
  workspace_id: workspaceOf(ada),
  client: { network: '192.0.2.0/24', user_agent: 'Firefox' },
  outcome: 'attempted',
  code: null,
  request_id: 'request-1',
  ...overrides,
});

const record = (one: AuditRecord) => fixture.client.request(recordAuditEntry, one);
const list = async (overrides: RequestInput<typeof listAuditLog> = {}) =>
  (await fixture.client.request(listAuditLog, { user_id: ada.id, workspace_id: workspaceOf(ada), ...overrides })).items;

describe('An entry of the audit log', () => {
  it('is stored before the reply to its request, and its outcome afterwards', async () => {
    const attempt = entry();
    await record(attempt);
    expect(await list()).toMatchObject([{ id: attempt.entry_id, outcome: 'attempted', resource: { id: null } }]);
    const id = uuidv7();
    await record({ ...attempt, outcome: 'succeeded', resource: { type: 'email_service', id } });
    expect(await list()).toEqual([
      {
        id: attempt.entry_id,
        at: expect.any(String),
        actor: { type: 'user', id: ada.id, name: ada.email },
        action: 'email_service.created',
        resource: { type: 'email_service', id, name: null },
        workspace_id: workspaceOf(ada),
        client: { network: '192.0.2.0/24', user_agent: 'Firefox' },
        outcome: 'succeeded',
        code: null,
        request_id: 'request-1',
        times: 1,
      },
    ]);
  });

  it('keeps its outcome when a record is repeated or arrives late', async () => {
    const attempt = entry();
    await record({ ...attempt, outcome: 'refused', code: 'invalid_input' });
    await record(attempt);
    await record({ ...attempt, outcome: 'succeeded' });
    expect(await list()).toMatchObject([{ outcome: 'refused', code: 'invalid_input' }]);
  });

  it('contains the reason why its outcome is not known', async () => {
    const attempt = entry();
    await record(attempt);
    await record({ ...attempt, code: 'service_unavailable' });
    expect(await list()).toMatchObject([{ outcome: 'attempted', code: 'service_unavailable' }]);
    await record({ ...attempt, outcome: 'succeeded' });
    expect(await list()).toMatchObject([{ outcome: 'succeeded', code: null }]);
  });
});

describe('A login', () => {
  const login = (email: string, overrides: Partial<AuditRecord> = {}) =>
    entry({
      actor: { type: 'unknown', id: null },
      login: email,
      action: 'session.created',
      resource: { type: 'session', id: null },
      workspace_id: null,
      outcome: 'refused',
      code: 'credentials_wrong',
      ...overrides,
    });

  it('of a user is recorded with the id and the workspace of the user', async () => {
    await record(login(` ${ada.email.toUpperCase()}`));
    expect(await list()).toMatchObject([{ actor: { type: 'user', id: ada.id }, code: 'credentials_wrong' }]);
  });

  it('of an unknown account is recorded with a stable keyed hash instead of the address', async () => {
    await record(login('nobody@example.com'));
    await record(login('nobody@example.com'));
    await record(login('somebody@example.com'));
    const rows = await fixture.query<{ actor_id: string }>('SELECT * FROM audit_entries ORDER BY at, id');
    expect(rows.map(({ actor_id }) => actor_id)).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      rows[0]?.actor_id,
      expect.not.stringMatching(String(rows[0]?.actor_id)),
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/body|example/);
  });

  it('that is refused repeatedly is counted in one entry after the tenth in an hour', async () => {
    for (let number = 0; number < 14; number += 1) await record(login(`unknown-${number}@example.com`));
    for (let number = 0; number < 3; number += 1) await record(login(ada.email));
    await record(login('other@example.com', { client: { network: '198.51.100.0/24', user_agent: null } }));
    const rows = await fixture.query<{ times: number }>('SELECT times FROM audit_entries ORDER BY at, id');
    expect(rows.map(({ times }) => times).sort((a, b) => a - b)).toEqual([...Array<number>(13).fill(1), 5]);
  });
});

describe('A refused platform key', () => {
  const refused = (overrides: Partial<AuditRecord> = {}) =>
    entry({
      actor: { type: 'unknown', id: null },
      action: PLATFORM_KEY_USED,
      resource: { type: 'platform_key', id: null },
      workspace_id: null,
      outcome: 'refused',
      code: 'platform_key_invalid',
      ...overrides,
    });

  it('that is used repeatedly is counted in one entry after the tenth in an hour, with or without a network', async () => {
    for (let number = 0; number < 13; number += 1) await record(refused({ times: 5 }));
    const nowhere = { network: null, user_agent: null };
    for (let number = 0; number < 12; number += 1) await record(refused({ client: nowhere, times: 7 }));
    const rows = await fixture.query<{ times: number; client_network: string | null }>('SELECT * FROM audit_entries');
    const timesOf = (network: string | null) =>
      rows.filter(row => row.client_network === network).map(({ times }) => times);
    expect(timesOf('192.0.2.0/24').sort((a, b) => a - b)).toEqual([...Array<number>(9).fill(5), 20]);
    expect(timesOf(null).sort((a, b) => a - b)).toEqual([...Array<number>(9).fill(7), 21]);
  });

  it('is counted once when two refusals are counted concurrently', async () => {
    for (let number = 0; number < 9; number += 1) await record(refused());
    const pool = new pg.Pool({ connectionString: fixture.databaseUrl });
    const log = new AuditLog({ pool } as Database);
    const [one, other] = [refused(), refused()];
    await log.record(one);
    await log.record(other);
    const holder = await pool.connect();
    await holder.query('BEGIN');
    // The row locks permit the merges to update counts, but block the deletion of merged entries.
    await holder.query('SELECT FROM audit_entries FOR KEY SHARE');
    const merged = Promise.all([log.mergeRepeated(one), log.mergeRepeated(other)]);
    await waitFor(async () => (await waiting(pool)) === 2);
    await holder.query('COMMIT');
    holder.release();
    await merged;
    const rows = await fixture.query<{ times: number }>('SELECT times FROM audit_entries');
    expect(rows.map(({ times }) => times).sort((a, b) => a - b)).toEqual([...Array<number>(9).fill(1), 2]);
    await pool.end();
  });

  it('of a workspace is in the audit log of the workspace', async () => {
    await record(refused({ actor: { type: 'platform_key', id: 'key-1' }, workspace_id: workspaceOf(ada) }));
    expect(await list()).toMatchObject([{ action: PLATFORM_KEY_USED, actor: { id: 'key-1' }, times: 1 }]);
  });
});

describe('The audit log', () => {
  beforeEach(async () => {
    await record(entry({ action: 'platform_key.deleted', resource: { type: 'platform_key', id: uuidv7() } }));
    await record(entry({ actor: { type: 'platform_key', id: 'key-1' }, action: 'project.created' }));
    await record(entry({ workspace_id: workspaceOf(bob), actor: { type: 'user', id: bob.id } }));
    await record(entry({ actor: { type: 'operator', id: null }, action: 'recipient.erased', workspace_id: null }));
  });

  const actions = async (overrides: RequestInput<typeof listAuditLog>) =>
    (await list(overrides)).map(({ action }) => action);

  it('of a workspace is listed newest first, without entries of other workspaces', async () => {
    expect(await actions({})).toEqual(['project.created', 'platform_key.deleted']);
    expect(await actions({ user_id: bob.id, workspace_id: workspaceOf(bob) })).toEqual(['email_service.created']);
  });

  it('contains the entries of all workspaces for operators', async () => {
    expect(await actions({ user_id: await fixture.operatorId() })).toHaveLength(4);
    expect((await fixture.client.request(listAuditLog, {})).total).toBe(4);
  });

  it('can be filtered by actor, action and time', async () => {
    expect(await actions({ actor: 'key-1' })).toEqual(['project.created']);
    expect(await actions({ actor: 'user' })).toEqual(['platform_key.deleted']);
    expect(await actions({ action: 'platform_key' })).toEqual(['platform_key.deleted']);
    expect(await actions({ action: 'project.created' })).toEqual(['project.created']);
    const [newest, oldest] = await list();
    expect(await actions({ from: newest!.at, to: newest!.at })).toEqual([]);
    expect(await actions({ to: new Date(Date.parse(oldest!.at) + 1).toISOString() })).toContain('platform_key.deleted');
    expect(await actions({ from: '2100-01-01T00:00:00.000Z' })).toEqual([]);
  });

  it('is returned in pages', async () => {
    const page = { user_id: ada.id, workspace_id: workspaceOf(ada), limit: 1, offset: 1 };
    expect(await fixture.client.request(listAuditLog, page)).toMatchObject({
      items: [{ action: 'platform_key.deleted' }],
      total: 2,
      limit: 1,
      offset: 1,
    });
  });

  it('is exported in batches, each entry once', async () => {
    await fixture.query(
      `INSERT INTO audit_entries (id, at, actor_type, action, resource_type, outcome, request_id)
       SELECT gen_random_uuid(), now() - interval '1 day', 'system', 'a.b', 'a', 'succeeded', n::text
       FROM generate_series(1, 1100) n`,
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    let steps = 0;
    do {
      const step: { entries: { id: string }[]; cursor: string | null } = await fixture.client.request(exportAuditLog, {
        cursor,
      });
      seen.push(...step.entries.map(({ id }) => id));
      cursor = step.cursor;
      steps += 1;
    } while (cursor !== null);
    expect([seen.length, new Set(seen).size, steps]).toEqual([1104, 1104, 3]);
    const invalid = fixture.client.request(exportAuditLog, { cursor: 'x' });
    expect(await codeOf(invalid)).toBe('invalid_input');
  });

  it('deletes entries that are older than the configured number of days', async () => {
    await fixture.query(`UPDATE audit_entries SET at = now() - interval '401 days' WHERE action = 'project.created'`);
    await fixture.replicas[0]!.app.get(Retention, { strict: false }).run({ now: new Date() });
    expect(await actions({})).toEqual(['platform_key.deleted']);
  });
});
