import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  createApiKey,
  createEmailService,
  findEmailServices,
  getEmailService,
  listApiKeys,
  listEmailServices,
  type RequestInput,
  revokeApiKey,
  setServiceLimits,
  updateEmailService,
} from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v7 as uuidv7 } from 'uuid';
import { PostgresSenderDirectory } from '../api-keys/postgres-sender-directory.js';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { emailService, emailServiceStream } from './email-service.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);
const newService = (workspace_id = uuidv7()) => call(createEmailService, { workspace_id, name: 'App' });
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
/** The sender that the sending path of each replica finds by the key. */
const sendersOf = (key: string) =>
  Promise.all(fixture.replicas.map(replica => replica.app.get(PostgresSenderDirectory).findByKeyHash(hashOf(key))));

describe('an email service', () => {
  it('is created in the sandbox with the defaults of the specification', async () => {
    const workspace_id = uuidv7();
    const service = await newService(workspace_id);
    expect(service).toEqual({
      id: expect.any(String),
      workspace_id,
      name: 'App',
      mode: 'sandbox',
      enabled: true,
      open_tracking: true,
      click_tracking: false,
      suppression: false,
      daily_limit: 50,
      per_minute_limit: 60,
      sent_today: 0,
      quota_history: [],
      created_at: expect.any(String),
    });
    await expect(call(getEmailService, { workspace_id, service_id: service.id })).resolves.toEqual(service);
    await expect(call(listEmailServices, { workspace_id })).resolves.toEqual([service]);
  });

  it('is renamed and switched, and every replica sees it at once', async () => {
    const { id: service_id, workspace_id } = await newService();
    const changes = { name: 'Shop', enabled: false, open_tracking: false, click_tracking: true, suppression: true };
    await expect(call(updateEmailService, { workspace_id, service_id, changes })).resolves.toMatchObject(changes);
    const { key } = await call(createApiKey, { workspace_id, service_id, name: 'app' });
    const expected = { enabled: false, openTracking: false, clickTracking: true, suppression: true, mode: 'sandbox' };
    expect(await sendersOf(key)).toMatchObject([expected, expected]);
  });

  it('does not exist for another workspace', async () => {
    const { id: service_id } = await newService();
    const elsewhere = { workspace_id: uuidv7(), service_id };
    const notFound = { code: 'service_not_found' };
    await expect(call(getEmailService, elsewhere)).rejects.toMatchObject(notFound);
    await expect(call(updateEmailService, { ...elsewhere, changes: { name: 'x' } })).rejects.toMatchObject(notFound);
    await expect(call(createApiKey, { ...elsewhere, name: 'x' })).rejects.toMatchObject(notFound);
    await expect(call(listApiKeys, elsewhere)).rejects.toMatchObject(notFound);
  });

  it('uses the limits that the operator sets, and the defaults after their removal', async () => {
    const { id: service_id } = await newService();
    await expect(
      call(setServiceLimits, { service_id, limits: { sandbox_daily: 7, sandbox_per_minute: 3 } }),
    ).resolves.toMatchObject({ daily_limit: 7, per_minute_limit: 3 });
    await expect(call(setServiceLimits, { service_id, limits: {} })).resolves.toMatchObject({ daily_limit: 50 });
  });
});

describe('the search of operators', () => {
  it('finds services of all workspaces by name, sending domain, workspace and id, newest first', async () => {
    const [one, other] = [await newService(), await newService()];
    const domain = `${one.id.slice(-12)}.example`;
    const of = { workspace_id: one.workspace_id, service_id: one.id };
    await call(addSendingDomain, { ...of, domain });
    await call(updateEmailService, { ...of, changes: { name: `Bulk ${one.id}` } });
    const find = (search: string, limit = 20) => call(findEmailServices, { search, limit });
    for (const search of [`bulk ${one.id}`, domain.slice(0, 14).toUpperCase(), one.id, one.workspace_id])
      expect([search, await find(search)]).toEqual([
        search,
        { items: [expect.objectContaining({ id: one.id, domains: [domain] })], total: 1, limit: 20, offset: 0 },
      ]);
    expect((await find('', 1)).items).toEqual([expect.objectContaining({ id: other.id, domains: [] })]);
    expect(await find('100%')).toMatchObject({ total: 0 });
  });
});

describe('the daily quota that an operator sets', () => {
  it('applies at once on every replica, and the history shows the reason', async () => {
    const { id: service_id, workspace_id } = await newService();
    const { key } = await call(createApiKey, { workspace_id, service_id, name: 'app' });
    await movesToProduction(service_id);
    const set = (limits: RequestInput<typeof setServiceLimits>['limits']) =>
      call(setServiceLimits, { service_id, limits });
    await set({ production_per_minute: 5 });
    await expect(set({ production_daily: 40_000 })).resolves.toMatchObject({
      daily_limit: 40_000,
      per_minute_limit: 5,
    });
    await expect(set({ production_daily: 50_000, reason: 'contract 17' })).resolves.toMatchObject({
      daily_limit: 50_000,
      quota_history: [{ from: 1_000, to: 50_000, reason: 'set by an operator: contract 17' }],
    });
    expect(await sendersOf(key)).toMatchObject([{ dailyLimit: 50_000 }, { dailyLimit: 50_000 }]);
  });

  it('is refused for a service in the sandbox', async () => {
    const { id: service_id } = await newService();
    await expect(call(setServiceLimits, { service_id, limits: { production_daily: 9 } })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  const movesToProduction = (serviceId: string) =>
    fixture.replicas[0].app.get(Streams).execute(emailService, emailServiceStream(serviceId), {
      kind: 'domain-verified',
      domainId: uuidv7(),
      domain: 'example.com',
      dailyStart: 1_000,
      at: new Date().toISOString(),
    });
});

describe('an API key', () => {
  it('is shown once, and only its hash and prefix are stored', async () => {
    const { id: service_id, workspace_id } = await newService();
    const created = await call(createApiKey, { workspace_id, service_id, name: 'app' });
    expect(created.key).toMatch(/^em_live_[0-9A-Za-z]{43}$/);
    expect(created.key_prefix).toBe(created.key.slice(0, 12));
    const { key: _, ...shown } = created;
    await expect(call(listApiKeys, { workspace_id, service_id })).resolves.toEqual([
      { ...shown, created_at: expect.any(String), last_used_at: null },
    ]);
    const { rows } = await fixture.pool.query<{ line: string }>(
      `SELECT e::text AS line FROM event_store.events e UNION ALL SELECT k::text FROM api_keys k`,
    );
    expect(rows.filter(({ line }) => line.includes(created.key.slice(12)))).toEqual([]);
  });

  it('is resolved to its service by every replica', async () => {
    const { id: serviceId, workspace_id: workspaceId } = await newService();
    const { key } = await call(createApiKey, { workspace_id: workspaceId, service_id: serviceId, name: 'app' });
    const sender = { serviceId, workspaceId, mode: 'sandbox', dailyLimit: 50, perMinuteLimit: 60 };
    expect(await sendersOf(key)).toMatchObject([sender, sender]);
    expect(await sendersOf('em_live_unknown')).toEqual([undefined, undefined]);
  });

  it('is unknown to every replica once its revocation has returned', async () => {
    const { id: service_id, workspace_id } = await newService();
    const [{ id: key_id, key }, other] = await Promise.all([
      call(createApiKey, { workspace_id, service_id, name: 'old' }),
      call(createApiKey, { workspace_id, service_id, name: 'new' }),
    ]);
    await sendersOf(key);
    await call(revokeApiKey, { workspace_id, service_id, key_id });
    expect(await sendersOf(key)).toEqual([undefined, undefined]);
    expect(await sendersOf(other.key)).toMatchObject([{ serviceId: service_id }, { serviceId: service_id }]);
    await expect(call(listApiKeys, { workspace_id, service_id })).resolves.toMatchObject([{ id: other.id }]);
    await expect(call(revokeApiKey, { workspace_id, service_id, key_id })).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
  });

  it('has the time of its last use', async () => {
    const { id: service_id, workspace_id } = await newService();
    const { key } = await call(createApiKey, { workspace_id, service_id, name: 'app' });
    const before = Date.now();
    await sendersOf(key);
    for (const replica of fixture.replicas) await replica.app.get(PostgresSenderDirectory).flushUses();
    const [shown] = await call(listApiKeys, { workspace_id, service_id });
    expect(Date.parse(shown!.last_used_at!)).toBeGreaterThanOrEqual(before);
  });
});

describe('quotas of a workspace', () => {
  const outcomes = async (attempts: readonly Promise<unknown>[]) => {
    const settled = await Promise.allSettled(attempts);
    const refused = settled.flatMap(one => (one.status === 'rejected' ? [one.reason.code] : []));
    return { created: settled.length - refused.length, refused: new Set(refused) };
  };

  it('permit 20 email services, even if more are created concurrently on all replicas', async () => {
    const workspace_id = uuidv7();
    const attempts = Array.from({ length: 30 }, () => newService(workspace_id));
    expect(await outcomes(attempts)).toEqual({ created: 20, refused: new Set(['quota_reached']) });
    await expect(call(listEmailServices, { workspace_id })).resolves.toHaveLength(20);
    const more = { workspace_id, name: 'App', workspace_quotas: { email_services: 21 } };
    await expect(call(createEmailService, more)).resolves.toMatchObject({ name: 'App' });
    await expect(call(createEmailService, more)).rejects.toMatchObject({
      code: 'quota_reached',
      details: { quota: 'email_services', limit: 21 },
    });
  }, 30_000);

  it('permit as many API keys of a service as an operator has set, and a new one after a revocation', async () => {
    const { id: service_id, workspace_id } = await newService();
    const wanted = { workspace_id, service_id, name: 'app', workspace_quotas: { api_keys: 3 } };
    const attempts = Array.from({ length: 8 }, () => call(createApiKey, wanted));
    expect(await outcomes(attempts)).toEqual({ created: 3, refused: new Set(['quota_reached']) });
    const [key] = await call(listApiKeys, { workspace_id, service_id });
    await call(revokeApiKey, { workspace_id, service_id, key_id: key!.id });
    await expect(call(createApiKey, wanted)).resolves.toMatchObject({ name: 'app' });
    await expect(call(createApiKey, wanted)).rejects.toMatchObject({ code: 'quota_reached' });
  });
});
