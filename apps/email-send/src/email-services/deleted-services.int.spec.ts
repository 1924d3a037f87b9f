import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  createApiKey,
  createEmailService,
  deleteEmailService,
  getEmailService,
  listEmailServices,
  preAddRecipient,
  sendEmail,
  sendEmailBody,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { PostgresSenderDirectory } from '../api-keys/postgres-sender-directory.js';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { DeletedServiceData } from './deleted-service-data.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');

const serviceWithEmail = async (workspace_id = uuidv7()) => {
  const { id: service_id } = await call(createEmailService, {
    workspace_id,
    name: 'Shop',
  });
  const service = { workspace_id, service_id };
  const { key } = await call(createApiKey, { ...service, name: 'app' });
  await call(preAddRecipient, { ...service, address: 'ada@x.test' });
  await call(addSendingDomain, { ...service, domain: 'shop.example.com' });
  const { email } = await call(sendEmail, {
    api_key_hash: hashOf(key),
    idempotency_key: 'order-1',
    answer_within_ms: 30_000,
    email: sendEmailBody.parse({ from: 'shop@x.test', to: ['ada@x.test'], subject: 'Receipt', text: 'Hello' }),
  });
  return { ...service, key, email };
};

/** Every row of the database that contains the text, by table. */
const rowsWith = async (text: string): Promise<string[]> => {
  const { rows } = await fixture.pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('public', 'event_store') AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await fixture.pool.query(`SELECT 1 FROM ${name} AS r WHERE strpos(r::text, $1) > 0`, [text]);
    if (hits.length > 0) found.push(name);
  }
  return found;
};

const passNow = async () => {
  await fixture.pool.query('UPDATE event_store.deleted_owners SET due_at = now() WHERE due_at IS NOT NULL');
  const data = fixture.replicas[0].app.get(DeletedServiceData, { strict: false });
  await data.run(new AbortController());
};

describe('A deleted email service', () => {
  it('is gone at once, and every replica refuses its keys', async () => {
    const { workspace_id, service_id, key } = await serviceWithEmail();
    await expect(call(deleteEmailService, { workspace_id, service_id })).resolves.toEqual({
      id: service_id,
      deleted: true,
    });
    const notFound = { code: 'service_not_found' };
    await expect(call(getEmailService, { workspace_id, service_id })).rejects.toMatchObject(notFound);
    await expect(call(createApiKey, { workspace_id, service_id, name: 'x' })).rejects.toMatchObject(notFound);
    await expect(call(deleteEmailService, { workspace_id, service_id })).rejects.toMatchObject(notFound);
    await expect(call(listEmailServices, { workspace_id })).resolves.toEqual([]);
    for (const replica of fixture.replicas)
      expect(await replica.app.get(PostgresSenderDirectory).findByKeyHash(hashOf(key))).toBeUndefined();
  });

  it('is deleted by its own workspace only', async () => {
    const { workspace_id, service_id } = await serviceWithEmail();
    const attack = call(deleteEmailService, { workspace_id: uuidv7(), service_id });
    await expect(attack).rejects.toMatchObject({ code: 'service_not_found' });
    await expect(call(getEmailService, { workspace_id, service_id })).resolves.toMatchObject({ id: service_id });
  });

  it('leaves no row that names it, its messages or a person, except the record of its deletion', async () => {
    const kept = await serviceWithEmail();
    const { workspace_id, service_id, email } = await serviceWithEmail();
    expect(await rowsWith(email.id)).toContain('public.emails');
    await call(deleteEmailService, { workspace_id, service_id });
    await passNow();
    expect(await rowsWith(email.id)).toEqual([]);
    const { rows } = await fixture.pool.query('SELECT type, data FROM event_store.events WHERE data::text LIKE $1', [
      `%${service_id}%`,
    ]);
    expect(rows).toEqual([
      {
        type: 'email-send.email-service-deleted.v1',
        data: { service_id, workspace_id, at: expect.any(String) },
      },
    ]);
    expect(await rowsWith(service_id)).toEqual([
      'event_store.deleted_owners',
      'event_store.events',
      'public.sender_revisions',
    ]);
    const { rows: keys } = await fixture.pool.query('SELECT count(*)::int AS count FROM dkim_keys');
    const { rows: domains } = await fixture.pool.query('SELECT count(*)::int AS count FROM sending_domains');
    expect(keys).toEqual(domains);
    expect(await rowsWith(kept.email.id)).toContain('public.emails');
    await expect(call(getEmailService, kept)).resolves.toMatchObject({ id: kept.service_id });
  });

  it.each([
    [
      'is being sent',
      async (emailId: string) => {
        await fixture.pool.query('DELETE FROM emails WHERE id = $1', [emailId]);
      },
    ],
    [
      'waits to be sent again',
      async (emailId: string) => {
        await fixture.pool.query(
          `INSERT INTO deferred_copies (email_id, recipient_index, due_at, deadline) VALUES ($1, 0, now(), now())`,
          [emailId],
        );
      },
    ],
  ])('cannot be deleted while one of its messages %s', async (_, begin) => {
    const { workspace_id, service_id, email } = await serviceWithEmail();
    const unanswered =
      'INSERT INTO open_requests (email_id, instance_id, answer_by) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING';
    await fixture.pool.query(unanswered, [email.id, uuidv7()]);
    await begin(email.id);
    await expect(call(deleteEmailService, { workspace_id, service_id })).rejects.toMatchObject({
      code: 'messages_under_way',
      message: expect.stringContaining('1 message is still being sent'),
    });
    const { rows } = await fixture.pool.query('SELECT 1 FROM event_store.deleted_owners WHERE owner = $1', [
      service_id,
    ]);
    expect(rows).toEqual([]);
    await expect(call(getEmailService, { workspace_id, service_id })).resolves.toMatchObject({ id: service_id });
  });
});
