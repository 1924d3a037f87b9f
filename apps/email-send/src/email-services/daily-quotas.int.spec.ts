import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createEmailService,
  type EventContract,
  emailBounced,
  emailComplained,
  getEmailService,
  listVerifiedRecipients,
  preAddRecipient,
} from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { AdjustDailyQuotas } from './adjust-daily-quotas.js';
import { emailService, emailServiceStream } from './email-service.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS);
const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);
/** A service that has been in production for four days. */
const productionService = async () => {
  const service = await call(createEmailService, { workspace_id: uuidv7(), name: 'App' });
  await fixture.replicas[0].app.get(Streams).execute(emailService, emailServiceStream(service.id), {
    kind: 'domain-verified',
    domainId: uuidv7(),
    domain: 'example.com',
    dailyStart: 1_000,
    at: dayAgo(4).toISOString(),
  });
  return { workspace_id: service.workspace_id, service_id: service.id };
};
const used = (service_id: string, day: Date, messages: number) =>
  fixture.pool.query(`INSERT INTO sending_usage (service_id, period, starts_at, used) VALUES ($1, 'day', $2, $3)`, [
    service_id,
    day,
    messages,
  ]);
const adjust = () => Promise.all(fixture.replicas.map(replica => replica.app.get(AdjustDailyQuotas).run()));
const history = async (owner: { workspace_id: string; service_id: string }) =>
  (await call(getEmailService, owner)).quota_history.map(({ from, to }) => [from, to]);
/** Waits for so many changes, because the task of a replica may have made them. */
const changes = (owner: { workspace_id: string; service_id: string }, count: number) =>
  waitFor(
    async () => {
      const found = await history(owner);
      return found.length >= count && found;
    },
    { describe: `${count} changes of the quota` },
  );

describe('the daily quota', () => {
  it('is adjusted once for each finished day, including days on which no process ran', async () => {
    const owner = await productionService();
    await used(owner.service_id, dayAgo(3), 700);
    await used(owner.service_id, dayAgo(2), 1_500);
    await used(owner.service_id, dayAgo(1), 100);
    await adjust();
    await adjust();
    expect(await changes(owner, 2)).toEqual([
      [2_000, 4_000],
      [1_000, 2_000],
    ]);
    await expect(call(getEmailService, owner)).resolves.toMatchObject({ daily_limit: 4_000 });
  });

  it('is adjusted for all other services when one has counts but does not exist', async () => {
    const owner = await productionService();
    await used(uuidv7(), dayAgo(2), 900);
    await used(owner.service_id, dayAgo(1), 900);
    await adjust();
    expect(await changes(owner, 1)).toEqual([[1_000, 2_000]]);
  });

  it('does not evaluate the current day, however much of it is used', async () => {
    const owner = await productionService();
    await used(owner.service_id, dayAgo(0), 1_000);
    await adjust();
    expect(await history(owner)).toEqual([]);
    await expect(call(getEmailService, owner)).resolves.toMatchObject({ sent_today: 1_000 });
  });

  it('is not changed by a day that the service spent in the sandbox', async () => {
    const owner = await productionService();
    await used(owner.service_id, dayAgo(5), 50);
    await adjust();
    expect(await history(owner)).toEqual([]);
  });

  it('is halved by bounces and complaints, each message counted once and the simulator not at all', async () => {
    const [bouncing, complained, simulated] = [
      await productionService(),
      await productionService(),
      await productionService(),
    ];
    for (const { service_id } of [bouncing, complained, simulated]) await used(service_id, dayAgo(1), 100);
    const log = await fixture.logOf('delivery-tracking', [emailBounced, emailComplained]);
    await log.publish([
      ...Array.from({ length: 6 }, () => uuidv7()).flatMap(email => [
        bounce(bouncing, email, 0),
        bounce(bouncing, email, 1),
      ]),
      complaint(complained, uuidv7()),
      ...Array.from({ length: 50 }, () => bounce(simulated, uuidv7(), 0, false)),
    ]);
    const reports = async () =>
      (
        await fixture.pool.query('SELECT FROM reported_emails WHERE service_id = ANY ($1)', [
          [bouncing.service_id, complained.service_id, simulated.service_id],
        ])
      ).rowCount === 7;
    await waitFor(reports, { describe: 'seven messages reported' });
    await log.stop();
    await adjust();
    expect(await changes(bouncing, 1)).toEqual([[1_000, 500]]);
    expect(await changes(complained, 1)).toEqual([[1_000, 500]]);
    expect(await history(simulated)).toEqual([]);
    const [change] = (await call(getEmailService, bouncing)).quota_history;
    expect(change?.reason).toBe('6 % of the messages bounced (more than 5 %)');
  });
});

describe('the read models of administration', () => {
  it('are the same after they were deleted and rebuilt while the service runs', async () => {
    const owner = await productionService();
    await call(preAddRecipient, { ...owner, address: 'ada@example.com' });
    const before = [await call(getEmailService, owner), await call(listVerifiedRecipients, owner)];
    const runner = fixture.replicas[0].app.get(ProjectionRunner);
    await fixture.pool.query(`UPDATE email_services SET name = 'damaged'`);
    await expect(runner.rebuild('administration')).resolves.toBe(true);
    expect([await call(getEmailService, owner), await call(listVerifiedRecipients, owner)]).toEqual(before);
    await call(preAddRecipient, { ...owner, address: 'bob@example.com' });
    await expect(call(listVerifiedRecipients, owner)).resolves.toHaveLength(2);
  });
});

function outcome<C extends EventContract>(
  contract: C,
  service_id: string,
  email_id: string,
  rest: object,
  counts = true,
) {
  const id = uuidv7();
  return {
    id,
    type: contract.type,
    streamId: `email-${email_id}`,
    version: 1,
    occurredAt: new Date(),
    data: {
      email_id,
      service_id,
      recipient_index: 0,
      to: 'a@example.org',
      from: 'b@example.com',
      subject: 's',
      timestamp: new Date(dayAgo(1).getTime() + DAY_MS / 2).toISOString(),
      counts,
      ...rest,
    },
    metadata: { correlationId: id },
  };
}
function bounce({ service_id }: { service_id: string }, email_id: string, recipient_index: number, counts = true) {
  const data = { bounce_type: 'hard', reason: '550 unknown' };
  return outcome(emailBounced, service_id, email_id, { recipient_index, data }, counts);
}
function complaint({ service_id }: { service_id: string }, email_id: string) {
  return outcome(emailComplained, service_id, email_id, { data: { source: 'abuse' } });
}
