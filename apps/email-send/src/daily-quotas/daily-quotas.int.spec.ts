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
import { JetStreamPublisher } from '@postern/messaging';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { emailService, emailServiceStream } from '../email-services/email-service.js';

import { AdministrationFixture } from '../testing/administration-fixture.js';
import { AdjustDailyQuotas } from './adjust-daily-quotas.js';

let house: AdministrationFixture;
beforeAll(async () => {
  house = await AdministrationFixture.start();
}, 60_000);
afterAll(() => house?.stop());

const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS);
const ask: AdministrationFixture['client']['request'] = (contract, request, options) =>
  house.client.request(contract, request, options);
/** In production for four days. */
const productionService = async () => {
  const service = await ask(createEmailService, { workspace_id: uuidv7(), name: 'App' });
  await house.replicas[0].app.get(Streams).execute(emailService, emailServiceStream(service.id), {
    kind: 'domain-verified',
    domainId: uuidv7(),
    domain: 'example.com',
    dailyStart: 1_000,
    at: dayAgo(4).toISOString(),
  });
  return { workspace_id: service.workspace_id, service_id: service.id };
};
const used = (service_id: string, day: Date, messages: number) =>
  house.pool.query(`INSERT INTO sending_usage (service_id, period, starts_at, used) VALUES ($1, 'day', $2, $3)`, [
    service_id,
    day,
    messages,
  ]);
const judge = () => Promise.all(house.replicas.map(replica => replica.app.get(AdjustDailyQuotas).run()));
const history = async (owner: { workspace_id: string; service_id: string }) =>
  (await ask(getEmailService, owner)).quota_history.map(({ from, to }) => [from, to]);

describe('the daily quota', () => {
  it('is judged once for each day that is over, also for days that nobody was there for', async () => {
    const owner = await productionService();
    await used(owner.service_id, dayAgo(3), 700);
    await used(owner.service_id, dayAgo(2), 1_500);
    await used(owner.service_id, dayAgo(1), 100);
    await judge();
    await judge();
    expect(await history(owner)).toEqual([
      [2_000, 4_000],
      [1_000, 2_000],
    ]);
    await expect(ask(getEmailService, owner)).resolves.toMatchObject({ daily_limit: 4_000 });
  });

  it('is judged for all others where the counts are those of a service that does not exist', async () => {
    const owner = await productionService();
    await used(uuidv7(), dayAgo(2), 900);
    await used(owner.service_id, dayAgo(1), 900);
    await judge();
    expect(await history(owner)).toEqual([[1_000, 2_000]]);
  });

  it('lets the present day be, however much of it is used', async () => {
    const owner = await productionService();
    await used(owner.service_id, dayAgo(0), 1_000);
    await judge();
    expect(await history(owner)).toEqual([]);
    await expect(ask(getEmailService, owner)).resolves.toMatchObject({ sent_today: 1_000 });
  });

  it('is not judged by a day that the service spent in the sandbox', async () => {
    const owner = await productionService();
    await used(owner.service_id, dayAgo(5), 50);
    await judge();
    expect(await history(owner)).toEqual([]);
  });

  it('is halved by bounces and complaints, each message counted once and the simulator not at all', async () => {
    const [bouncing, complained, simulated] = [
      await productionService(),
      await productionService(),
      await productionService(),
    ];
    for (const { service_id } of [bouncing, complained, simulated]) await used(service_id, dayAgo(1), 100);
    const publisher = new JetStreamPublisher(house.link, {
      service: 'delivery-tracking',
      contracts: [emailBounced, emailComplained],
    });
    await publisher.publish([
      ...Array.from({ length: 6 }, () => uuidv7()).flatMap(email => [
        bounce(bouncing, email, 0),
        bounce(bouncing, email, 1),
      ]),
      complaint(complained, uuidv7()),
      ...Array.from({ length: 50 }, () => bounce(simulated, uuidv7(), 0, false)),
    ]);
    const reports = async () =>
      (
        await house.pool.query('SELECT FROM reported_emails WHERE service_id = ANY ($1)', [
          [bouncing.service_id, complained.service_id, simulated.service_id],
        ])
      ).rowCount === 7;
    await waitFor(reports, { describe: 'seven messages reported' });
    await judge();
    expect(await history(bouncing)).toEqual([[1_000, 500]]);
    expect(await history(complained)).toEqual([[1_000, 500]]);
    expect(await history(simulated)).toEqual([]);
    const [change] = (await ask(getEmailService, bouncing)).quota_history;
    expect(change?.reason).toBe('6 % of the messages bounced (more than 5 %)');
  });
});

describe('the read models of administration', () => {
  it('are the same after they were thrown away and rebuilt while the service runs', async () => {
    const owner = await productionService();
    await ask(preAddRecipient, { ...owner, address: 'ada@example.com' });
    const before = [await ask(getEmailService, owner), await ask(listVerifiedRecipients, owner)];
    const runner = house.replicas[0].app.get(ProjectionRunner);
    await house.pool.query(`UPDATE email_services SET name = 'damaged'`);
    await expect(runner.rebuild('administration')).resolves.toBe(true);
    expect([await ask(getEmailService, owner), await ask(listVerifiedRecipients, owner)]).toEqual(before);
    await ask(preAddRecipient, { ...owner, address: 'bob@example.com' });
    await expect(ask(listVerifiedRecipients, owner)).resolves.toHaveLength(2);
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
