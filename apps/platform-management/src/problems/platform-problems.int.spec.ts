import { afterAll, describe, expect, it } from '@jest/globals';
import { listPlatformProblems, setWorkspaceQuotas } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { ResourcesFixture } from '../testing/resources-fixture.js';

const resources = await ResourcesFixture.start();
afterAll(() => resources.stop());

const query = (text: string, values: readonly unknown[]) => resources.fixture.query(text, [...values]);
const found = async (workspaceId = resources.user.workspace_id) =>
  (await resources.request(listPlatformProblems, { workspace_id: workspaceId })).problems;
const of = async (id: string) => (await found()).filter(({ resource }) => resource.id === id);
const newService = async () => (await resources.newService(await resources.newProject())).web_service_id;
const deployed = async (webServiceId: string, number: number, status: string, error: string | null = null) => {
  const id = uuidv7();
  await query(
    `INSERT INTO deployments (id, web_service_id, number, ordinal, status, error, created_at, started_at, finished_at)
     VALUES ($1, $2, $3, $3, $4, $5, now(), now(), '2026-01-01T00:00:00Z')`,
    [id, webServiceId, number, status, error],
  );
  return id;
};
const newDatabase = async (status: string, readOnlyReason: string | null = null) => {
  const id = uuidv7();
  await query(
    `INSERT INTO databases (id, workspace_id, name, kind, plan, cpu_millicores, memory_bytes, storage_bytes,
       connections, host, port, status, read_only_reason, created_at)
     VALUES ($1, $2, 'orders', 'relational', 'small', 1, 1, 1, 1, 'localhost', 1, $3, $4, now())`,
    [id, resources.user.workspace_id, status, readOnlyReason],
  );
  return id;
};

describe('a web service', () => {
  it('that is new or works is no problem', async () => {
    const [fresh, live] = [await newService(), await newService()];
    await deployed(live, 1, 'superseded');
    await deployed(live, 2, 'live');
    await query("UPDATE web_services SET status = 'running' WHERE id = $1", [live]);
    expect([await of(fresh), await of(live)]).toEqual([[], []]);
  });

  it('whose first deployment failed says so with the reason, and that it was never live', async () => {
    const id = await newService();
    const deployment = await deployed(id, 1, 'failed', 'the build command exited with code 127\nsh: tsc: not found');
    expect(await of(id)).toEqual([
      {
        kind: 'deployment_failed',
        severity: 'error',
        message:
          'The latest deployment of “web” failed: the build command exited with code 127. No version of it has been live so far.',
        fix: expect.any(String),
        page: `/web-services/${id}/deployments/${deployment}`,
        resource: { type: 'web_service', id, name: 'web' },
        since: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('whose latest deployment failed says whether the version before it runs', async () => {
    const id = await newService();
    await deployed(id, 1, 'live');
    await deployed(id, 2, 'failed', 'no');
    // The user cancelled this one; it says nothing about the code.
    await deployed(id, 3, 'cancelled');
    await query("UPDATE web_services SET status = 'running' WHERE id = $1", [id]);
    expect((await of(id))[0]?.message).toMatch(/ The version before it is still live\.$/);
    await query("UPDATE web_services SET status = 'stopped' WHERE id = $1", [id]);
    expect((await of(id))[0]?.message).toMatch(/ No version of it is running now\.$/);
    await deployed(id, 4, 'building');
    expect(await of(id)).toEqual([]);
  });

  it('that is a preview and fails is only a warning, because no user of the workspace depends on it', async () => {
    const [original, preview] = [await newService(), await newService()];
    await query('UPDATE web_services SET preview_of = $2, pull_request = 7 WHERE id = $1', [preview, original]);
    expect(await of(preview)).toEqual([]);
    await deployed(preview, 1, 'failed', 'exit code 1');
    expect(await of(preview)).toMatchObject([{ kind: 'deployment_failed', severity: 'warning' }]);
  });

  it.each([
    ['failed', 'web_service_failed', 'does not run: exited with code 1.'],
    ['running', 'web_service_failed', 'keeps crashing: exited with code 1.'],
  ])('that is %s and crashes is a problem', async (status, kind, words) => {
    const id = await newService();
    await deployed(id, 1, 'live');
    await query("UPDATE web_services SET status = $2, status_reason = E'exited with code 1\\noutput' WHERE id = $1", [
      id,
      status,
    ]);
    expect(await of(id)).toMatchObject([{ kind, message: expect.stringContaining(words) }]);
  });

  it('that is blocked says why, and nothing else', async () => {
    const id = await newService();
    await deployed(id, 1, 'failed', 'no');
    await query("UPDATE web_services SET blocked_reason = 'phishing' WHERE id = $1", [id]);
    expect(await of(id)).toMatchObject([
      { kind: 'web_service_blocked', message: 'The web service “web” is blocked: phishing.' },
    ]);
  });
});

describe('a custom domain', () => {
  it('that has waited for its records for an hour is a warning', async () => {
    const service = await newService();
    const add = async (age: string, verified: boolean) => {
      const [id, domain] = [uuidv7(), `${uuidv7()}.example.com`];
      await query(
        `INSERT INTO custom_domains (id, web_service_id, domain, verified_domain, token, message, created_at)
         VALUES ($1, $2, $3, $4, 't', 'it has no CNAME record', now() - $5::interval)`,
        [id, service, domain, verified ? domain : null, age],
      );
      return { id, domain };
    };
    const waiting = await add('2 hours', false);
    const others = [await add('5 minutes', false), await add('2 hours', true)];
    expect(await of(waiting.id)).toMatchObject([
      {
        kind: 'custom_domain_unverified',
        severity: 'warning',
        message: `The domain ${waiting.domain} of “web” is not verified, so it has neither a route nor a certificate: it has no CNAME record.`,
      },
    ]);
    for (const { id } of others) expect(await of(id)).toEqual([]);
  });
});

describe('the certificate of a custom domain', () => {
  const served = async (age: string, left: string, error: string | null = null, verified = true) => {
    const [id, domain] = [uuidv7(), `${uuidv7()}.example.com`];
    await query(
      `INSERT INTO custom_domains (id, web_service_id, domain, verified_domain, token, created_at, certificate_from,
         certificate_until, certificate_error, certificate_checked_at)
       VALUES ($1, $2, $3, $4, 't', now(), now() - $5::interval, now() + $6::interval, $7, now())`,
      [id, await newService(), domain, verified ? domain : null, age, left, error],
    );
    return { id, domain };
  };

  it('is no problem while it is renewed in time', async () => {
    const { id } = await served('60 days', '30 days');
    expect(await of(id)).toEqual([]);
  });

  it('is a warning when it should have been renewed, and an error when browsers refuse it', async () => {
    const late = await served('80 days', '10 days');
    expect(await of(late.id)).toMatchObject([
      {
        kind: 'custom_domain_certificate',
        severity: 'warning',
        message: expect.stringMatching(
          new RegExp(
            `^The certificate of ${late.domain} of “web” ends on \\d{4}-\\d\\d-\\d\\d and was not renewed\\.$`,
          ),
        ),
      },
    ]);
    const missing = await served('0', '0', 'the TLS proxy served none (alert)');
    expect(await of(missing.id)).toMatchObject([
      {
        severity: 'error',
        message: `The domain ${missing.domain} of “web” has no valid certificate, so browsers refuse it: the TLS proxy served none (alert).`,
      },
    ]);
    const ended = await served('90 days', '-1 day');
    expect(await of(ended.id)).toMatchObject([{ severity: 'error' }]);
  });

  it('says nothing about a domain that is not verified any more', async () => {
    const { id } = await served('0', '0', 'the TLS proxy served none (alert)', false);
    expect(await of(id)).toEqual([]);
  });
});

describe('a database', () => {
  it('that runs is no problem, and one that is away or full is', async () => {
    expect(await of(await newDatabase('running'))).toEqual([]);
    expect(await of(await newDatabase('deleting', 'full'))).toEqual([]);
    expect(await of(await newDatabase('unavailable'))).toMatchObject([
      { kind: 'database_unavailable', message: 'The database “orders” does not respond.' },
    ]);
    expect(await of(await newDatabase('running', 'full'))).toMatchObject([{ kind: 'database_read_only' }]);
  });

  it('is nearly full until it has space again', async () => {
    const id = await newDatabase('running');
    const report = (version: number, type: string) =>
      query(
        `INSERT INTO event_store.events (stream_id, version, id, type, data, metadata, occurred_at)
         VALUES ($1, $2, $3, $4, $5, '{"correlation_id": "test"}', now())`,
        [
          `database-storage-${id}`,
          version,
          uuidv7(),
          `platform-management.${type}.v1`,
          JSON.stringify({ database_id: id, workspace_id: resources.user.workspace_id, at: new Date().toISOString() }),
        ],
      );
    await report(1, 'database-nearly-full');
    expect(await of(id)).toMatchObject([{ kind: 'database_nearly_full', severity: 'warning' }]);
    await report(2, 'database-has-space');
    expect(await of(id)).toEqual([]);
  });
});

describe('a quota', () => {
  it('is a warning from 90 % on, an error when it is reached, and belongs to its workspace', async () => {
    const { workspaces } = await resources.fixture.newUser();
    const workspaceId = String(workspaces[0]?.id);
    expect(await found(workspaceId)).toEqual([]);
    const operator = await resources.fixture.operatorId();
    const allow = (databases: number) =>
      resources.request(setWorkspaceQuotas, { actor_id: operator, id: workspaceId, quotas: { databases } });
    const add = () =>
      query(
        `INSERT INTO databases (id, workspace_id, name, kind, plan, cpu_millicores, memory_bytes, storage_bytes,
           connections, host, port, status, created_at)
         VALUES ($1, $2, 'one', 'relational', 'small', 1, 1, 1, 1, 'localhost', 1, 'running', now())`,
        [uuidv7(), workspaceId],
      );
    for (let count = 0; count < 9; count += 1) await add();
    await allow(10);
    expect(await found(workspaceId)).toMatchObject([
      { kind: 'quota_nearly_reached', severity: 'warning', message: 'The workspace uses 9 of 10 databases.' },
    ]);
    await allow(9);
    expect(await found(workspaceId)).toMatchObject([
      { severity: 'error', message: 'The workspace uses 9 of 9 databases; more are refused.' },
    ]);
  });
});
