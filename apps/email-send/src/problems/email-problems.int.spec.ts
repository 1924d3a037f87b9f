import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  createEmailService,
  listEmailProblems,
  setServiceLimits,
  updateEmailService,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);
const newService = async () => {
  const workspace_id = uuidv7();
  const { id: service_id } = await call(createEmailService, { workspace_id, name: 'Shop' });
  return { workspace_id, service_id };
};
const problemsOf = async ({ workspace_id }: { workspace_id: string }) =>
  (await call(listEmailProblems, { workspace_id })).problems;

describe('an email service', () => {
  it('that works is no problem, and a disabled one is a warning', async () => {
    const service = await newService();
    expect(await problemsOf(service)).toEqual([]);
    await call(updateEmailService, { ...service, changes: { enabled: false } });
    expect(await problemsOf(service)).toMatchObject([
      {
        kind: 'email_service_disabled',
        severity: 'warning',
        page: `/services/${service.service_id}/settings`,
        resource: { type: 'email_service', id: service.service_id, name: 'Shop' },
      },
    ]);
    expect(await problemsOf({ workspace_id: uuidv7() })).toEqual([]);
  });

  it('is a warning near its daily limit, and an error at it', async () => {
    const service = await newService();
    await call(setServiceLimits, { service_id: service.service_id, limits: { sandbox_daily: 10 } });
    const use = (used: number) =>
      fixture.pool.query(
        `INSERT INTO sending_usage (service_id, period, starts_at, used)
         VALUES ($1, 'day', date_trunc('day', now(), 'UTC'), $2)
         ON CONFLICT (service_id, period, starts_at) DO UPDATE SET used = excluded.used`,
        [service.service_id, used],
      );
    await use(8);
    expect(await problemsOf(service)).toEqual([]);
    await use(9);
    expect(await problemsOf(service)).toMatchObject([
      { severity: 'warning', message: 'The email service “Shop” has sent 9 of 10 messages today.' },
    ]);
    await use(10);
    expect(await problemsOf(service)).toMatchObject([
      { severity: 'error', message: expect.stringContaining('more are refused with 429') },
    ]);
  });
});

describe('a sending domain', () => {
  it('that is not verified within an hour is a warning, and one that lost its records an error', async () => {
    const service = await newService();
    const { id } = await call(addSendingDomain, { ...service, domain: 'shop.example.com' });
    expect(await problemsOf(service)).toEqual([]);
    await fixture.pool.query("UPDATE sending_domains SET created_at = now() - interval '2 hours' WHERE id = $1", [id]);
    expect(await problemsOf(service)).toMatchObject([
      {
        kind: 'sending_domain_unverified',
        severity: 'warning',
        resource: { type: 'sending_domain', id, name: 'shop.example.com' },
        page: `/services/${service.service_id}/domains`,
      },
    ]);
    await fixture.pool.query("UPDATE sending_domains SET status = 'records_lost' WHERE id = $1", [id]);
    expect(await problemsOf(service)).toMatchObject([{ kind: 'sending_domain_records_lost', severity: 'error' }]);
  });
});
