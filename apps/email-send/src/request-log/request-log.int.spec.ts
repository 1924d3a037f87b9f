import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createApiKey,
  createEmailService,
  deleteEmailService,
  listEmailRequests,
  type ReportedRequest,
  recordEmailRequests,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { DeletedServiceData } from '../email-services/deleted-service-data.js';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { RequestLog } from './request-log.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);

const newSender = async () => {
  const workspace_id = uuidv7();
  const { id: service_id } = await call(createEmailService, { workspace_id, name: 'Shop' });
  const { id: key_id, key } = await call(createApiKey, { workspace_id, service_id, name: 'app' });
  return { workspace_id, service_id, key_id, key_hash: createHash('sha256').update(key).digest('hex') };
};
const entry = (key_hash: string, more: Partial<ReportedRequest> = {}): ReportedRequest => ({
  id: uuidv7(),
  key_hash,
  request_id: uuidv7(),
  at: new Date().toISOString(),
  method: 'POST',
  path: '/emails',
  status: 200,
  code: null,
  message: null,
  duration_ms: 12,
  email_id: null,
  body: null,
  ...more,
});
const record = (...requests: ReportedRequest[]) => call(recordEmailRequests, { requests });

describe('the log of requests', () => {
  it('lists the requests of a service with their key, newest first, and finds them by their id', async () => {
    const { key_hash, key_id, workspace_id, service_id } = await newSender();
    const old = entry(key_hash, { at: '2026-01-01T00:00:00.000Z', email_id: uuidv7() });
    const refused = entry(key_hash, {
      status: 400,
      code: 'invalid_input',
      message: 'to must be an array of strings.',
      body: '{"to":"ada@example.net"}',
    });
    await record(old, refused);
    // A report that is repeated.
    await record(refused);

    const of = { workspace_id, service_id };
    const { key_hash: _hash, ...shown } = refused;
    const { items, total } = await call(listEmailRequests, of);
    expect(items.map(({ id }) => id)).toEqual([refused.id, old.id]);
    expect(items[0]).toEqual({ ...shown, key: { id: key_id, name: 'app' } });
    expect(total).toBe(2);
    const found = async (filter: object) =>
      (await call(listEmailRequests, { ...of, ...filter })).items.map(({ id }) => id);
    expect(await found({ request_id: old.request_id })).toEqual([old.id]);
    expect(await found({ outcome: 'refused' })).toEqual([refused.id]);
    expect(await found({ outcome: 'failed' })).toEqual([]);
    expect(await found({ code: 'invalid_input' })).toEqual([refused.id]);
    expect(await found({ key_id: uuidv7() })).toEqual([]);
    expect(await found({ limit: 1, offset: 1 })).toEqual([old.id]);
  });

  it('has nothing of an unknown key, and shows nothing to another workspace', async () => {
    const { key_hash, workspace_id, service_id } = await newSender();
    await record(entry('0'.repeat(64)), entry(key_hash));
    expect((await call(listEmailRequests, { workspace_id, service_id })).total).toBe(1);
    await expect(call(listEmailRequests, { workspace_id: uuidv7(), service_id })).rejects.toMatchObject({
      code: 'service_not_found',
    });
  });

  it('is deleted after its retention, and with its service', async () => {
    const { key_hash, workspace_id, service_id } = await newSender();
    const [old, recent] = [8, 6].map(days =>
      entry(key_hash, { at: new Date(Date.now() - days * 86_400_000).toISOString() }),
    );
    await record(old!, recent!);
    await fixture.replicas[0].app.get(RequestLog).purge({ now: new Date() });
    const { items } = await call(listEmailRequests, { workspace_id, service_id });
    expect(items.map(({ id }) => id)).toEqual([recent!.id]);

    await call(deleteEmailService, { workspace_id, service_id });
    await fixture.pool.query('UPDATE event_store.deleted_owners SET due_at = now() WHERE due_at IS NOT NULL');
    await fixture.replicas[0].app.get(DeletedServiceData, { strict: false }).run(new AbortController());
    const { rowCount } = await fixture.pool.query('SELECT FROM logged_requests WHERE service_id = $1', [service_id]);
    expect(rowCount).toBe(0);
  });
});
