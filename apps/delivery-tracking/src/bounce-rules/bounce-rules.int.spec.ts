import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  addSuppressions,
  createBounceRule,
  type DataOf,
  deleteBounceRule,
  emailAccepted,
  emailBounced,
  emailHandedOver,
  emailServiceDeleted,
  getTrackedEmail,
  listBounceRules,
  listSuppressedAddresses,
  MAX_BOUNCE_RULES,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { DeletedServiceData } from '../deleted-services/deleted-service-data.js';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

const REPLY = '550 5.1.1 Recipient rejected by local policy';
const PHRASE = 'rejected by  LOCAL policy';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const bounced = async (service_id: string, smtp_response = REPLY) => {
  const email = anEmail({ service_id });
  await tracking.publish(
    [emailAccepted, email],
    [emailHandedOver, handOverOf(email, { result: 'refused', smtp_response }, 'failed')],
  );
  await tracking.event(emailBounced, email.email_id);
  return email.email_id;
};

const bouncesOf = (emailId: string) =>
  tracking
    .eventsOf(emailId)
    .filter(({ type }) => type === emailBounced.type)
    .map(({ data }) => data as DataOf<typeof emailBounced>);

const create = (service_id: string, change: object = {}) =>
  tracking.request(createBounceRule, { service_id, phrase: PHRASE, cause: 'policy', ...change });

const suppressed = async (service_id: string) =>
  (await tracking.request(listSuppressedAddresses, { service_id })).items.map(({ address }) => address);

describe('A bounce rule', () => {
  it('classifies later bounces of its email service only', async () => {
    const [service_id, other] = [randomUUID(), randomUUID()];
    const rule = await create(service_id);
    expect(rule).toMatchObject({ phrase: 'rejected by local policy', cause: 'policy', bounce_type: 'soft' });

    const [own, foreign] = [await bounced(service_id), await bounced(other)];
    expect(bouncesOf(own)).toMatchObject([
      { data: { bounce_type: 'soft', reason: REPLY }, classification: { name: 'policy', rule: `own.${rule.id}` } },
    ]);
    expect(bouncesOf(foreign)).toMatchObject([{ data: { bounce_type: 'hard' }, classification: { rule: 'code.1.1' } }]);
    expect(await suppressed(service_id)).toEqual([]);
  });

  it('corrects the message that it was made from, and takes its address off the suppression list', async () => {
    const service_id = randomUUID();
    const first = await bounced(service_id);
    const second = await bounced(service_id);
    await waitFor(async () => (await suppressed(service_id)).length === 1, { describe: 'the suppression' });

    const { id } = await create(service_id, { email_id: second });
    expect(await suppressed(service_id)).toEqual([]);
    await waitFor(() => bouncesOf(second).length === 2, { describe: 'the second event' });
    expect(bouncesOf(second).map(({ data }) => data.bounce_type)).toEqual(['hard', 'soft']);
    expect(bouncesOf(first)).toHaveLength(1);
    const { timeline } = await tracking.request(getTrackedEmail, { service_id, email_id: second });
    expect(timeline).toContainEqual(
      expect.objectContaining({
        kind: 'bounce_reclassified',
        detail: 'soft instead of hard, by a rule of the email service',
        rule: `own.${id}`,
      }),
    );

    // The same rule for another message: nothing is created twice.
    expect(await create(service_id, { email_id: first })).toMatchObject({ id });
    await waitFor(() => bouncesOf(first).length === 2, { describe: 'the second event of the first message' });
    expect(await tracking.request(listBounceRules, { service_id })).toHaveLength(1);
  });

  it('suppresses the address if the bounce becomes hard', async () => {
    const service_id = randomUUID();
    const email_id = await bounced(service_id, '550 5.7.1 Refused by entry 17 of the book');
    expect(bouncesOf(email_id)).toMatchObject([{ data: { bounce_type: 'soft' } }]);
    await create(service_id, { phrase: 'entry 17 of the book', cause: 'mailbox_disabled', email_id });
    await waitFor(async () => (await suppressed(service_id)).length === 1, { describe: 'the suppression' });
    expect(await suppressed(service_id)).toEqual(['ada@x.test']);
  });

  it('leaves an address on the list that a user added', async () => {
    const service_id = randomUUID();
    await tracking.request(addSuppressions, { service_id, address: 'ada@x.test' });
    const email_id = await bounced(service_id);
    await create(service_id, { email_id });
    expect(await suppressed(service_id)).toEqual(['ada@x.test']);
  });

  it('is deleted, and later bounces are classified by the rules of Postern again', async () => {
    const service_id = randomUUID();
    const { id: rule_id } = await create(service_id);
    await expect(tracking.request(deleteBounceRule, { service_id: randomUUID(), rule_id })).rejects.toMatchObject({
      code: 'bounce_rule_not_found',
    });
    await tracking.request(deleteBounceRule, { service_id, rule_id });
    expect(await tracking.request(listBounceRules, { service_id })).toEqual([]);
    expect(bouncesOf(await bounced(service_id))).toMatchObject([{ data: { bounce_type: 'hard' } }]);
  });

  it('is deleted with its email service', async () => {
    const service_id = randomUUID();
    await create(service_id);
    const at = new Date().toISOString();
    await tracking.publish([emailServiceDeleted, { service_id, workspace_id: randomUUID(), at }]);
    await waitFor(
      async () =>
        (await tracking.query('SELECT 1 FROM event_store.deleted_owners WHERE owner = $1', service_id)).length,
      { describe: 'the deletion to arrive' },
    );
    await tracking.query('UPDATE event_store.deleted_owners SET due_at = now() WHERE due_at IS NOT NULL');
    await tracking.part(DeletedServiceData).run(new AbortController());
    expect(await tracking.request(listBounceRules, { service_id })).toEqual([]);
  });
});

describe('A bounce rule is refused', () => {
  it.each([
    ['with a domain that is none', { domain: 'x..test' }, 'invalid_input', 'domain: '],
    ['for an unknown message', { email_id: randomUUID() }, 'email_not_found', 'there is no email'],
  ])('%s', async (_, change, code, message) => {
    await expect(create(randomUUID(), change)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('if no bounce of the message has such a reply, and nothing is created', async () => {
    const service_id = randomUUID();
    const email_id = await bounced(service_id);
    for (const change of [{ phrase: 'mailbox is full' }, { domain: 'other.test' }, { status_code: '5.7.1' }])
      await expect(create(service_id, { email_id, ...change })).rejects.toMatchObject({
        code: 'bounce_rule_does_not_match',
      });
    expect(await tracking.request(listBounceRules, { service_id })).toEqual([]);
  });

  it('for a message of another email service', async () => {
    const email_id = await bounced(randomUUID());
    await expect(create(randomUUID(), { email_id })).rejects.toMatchObject({ code: 'email_not_found' });
  });

  it('if another cause is set for the same replies', async () => {
    const service_id = randomUUID();
    await create(service_id);
    await expect(create(service_id, { cause: 'content' })).rejects.toMatchObject({ code: 'bounce_rule_exists' });
    await create(service_id, { cause: 'content', status_code: '5.7.1' });
  });

  it('if the email service has the largest number of rules, also when they are created at once', async () => {
    const service_id = randomUUID();
    const outcomes = await Promise.allSettled(
      Array.from({ length: MAX_BOUNCE_RULES + 5 }, (_, n) => create(service_id, { phrase: `local policy ${n}` })),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(5);
    expect(refused).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: 'quota_reached' }) }),
    );
  });
});
