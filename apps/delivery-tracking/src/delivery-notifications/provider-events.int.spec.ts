import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  emailAccepted,
  emailBounced,
  emailComplained,
  emailDelivered,
  emailHandedOver,
  getTrackedEmail,
  listEmails,
  type ProviderEvent,
  recordProviderEvents,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { anEmail, handOverOf, RunningTracking } from '../testing/running-tracking.js';

const tracking = await RunningTracking.start();
afterAll(() => tracking.stop());

const AT = '2026-01-02T03:04:05.678Z';
const event = (emailId: string, change: Partial<ProviderEvent> = {}): ProviderEvent => ({
  kind: 'delivered',
  copy_ids: [tracking.tokens.copyId(emailId, 0)],
  recipient: 'ada@x.test',
  at: AT,
  ...change,
});
const record = (...events: ProviderEvent[]) => tracking.request(recordProviderEvents, { events });
const sent = async (change: Parameters<typeof anEmail>[0] = {}) => {
  const email = anEmail(change);
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
  const { service_id, email_id } = email;
  const isListed = async () => {
    const { items } = await tracking.request(listEmails, { service_id });
    return items.some(({ id }) => id === email_id);
  };
  await waitFor(isListed, { describe: 'the message to be known' });
  return email;
};

describe('Events of a mail provider', () => {
  it('become the events of the message, each once, in any order', async () => {
    const { email_id, service_id } = await sent();
    const delivered = event(email_id, { response: '250 2.0.0 OK' });
    const complained = event(email_id, { kind: 'complained', source: 'abuse Provider' });
    await expect(record(complained, complained, delivered)).resolves.toEqual({ recorded: 2, ignored: 1 });
    await expect(record(delivered, complained)).resolves.toEqual({ recorded: 0, ignored: 2 });
    expect((await tracking.event(emailDelivered, email_id)).data).toEqual({ smtp_response: '250 2.0.0 OK' });
    expect((await tracking.event(emailComplained, email_id)).data).toEqual({ source: 'abuse Provider' });
    expect(tracking.kinds(email_id).filter(kind => kind === 'delivered')).toHaveLength(1);
    const { recipients } = await tracking.request(getTrackedEmail, { service_id, email_id });
    expect(recipients).toMatchObject([{ state: 'complained' }]);
  });

  it.each<[string, Partial<ProviderEvent>, 'hard' | 'soft', string]>([
    ['the words of the server', { response: 'smtp; 550 5.1.1 user unknown' }, 'hard', 'unknown_user'],
    ['the words against the provider', { response: '550 5.7.1 blocked by SpamHaus', bounce_type: 'hard' }, 'soft', ''],
    ['the status', { status: '5.1.1' }, 'hard', ''],
    ['the provider without words', { bounce_type: 'hard' }, 'hard', 'bad_address'],
    ['the provider with words that no rule knows', { response: 'Qwertz', bounce_type: 'hard' }, 'hard', 'bad_address'],
    ['nothing', {}, 'soft', ''],
  ])('are classified by %s', async (_, change, bounce_type, name) => {
    const { email_id } = await sent();
    await record(event(email_id, { kind: 'bounced', ...change }));
    const bounced = await tracking.event(emailBounced, email_id);
    expect(bounced.data).toMatchObject({ bounce_type });
    expect(bounced.classification).toMatchObject({ name: expect.stringContaining(name) });
  });

  it('find the recipient of a message by its Message-ID and the address', async () => {
    const recipients = ['ada@x.test', 'bob@x.test'].map((address, index) => ({ index, address, role: 'to' as const }));
    const { email_id } = await sent({ recipients });
    const message_id = `${tracking.tokens.copyId(email_id)}@shop.test`;
    await record(event(email_id, { copy_ids: [], message_id, recipient: 'BOB@x.test' }));
    expect((await tracking.event(emailDelivered, email_id)).to).toBe('bob@x.test');
  });

  it('find a message whose sender chose its Message-ID, if only one has it', async () => {
    const message_id = `${randomUUID()}@shop.test`;
    const { email_id } = await sent({ message_id });
    const delivered = event(email_id, { copy_ids: [], message_id });
    await expect(record(event(email_id, { ...delivered, recipient: 'eve@x.test' }))).resolves.toMatchObject({
      recorded: 0,
    });
    await expect(record(delivered)).resolves.toMatchObject({ recorded: 1 });
    const other = await sent({ message_id });
    await expect(record({ ...delivered, kind: 'complained' })).resolves.toMatchObject({ recorded: 0 });
    expect(tracking.kinds(other.email_id)).toEqual([]);
  });

  it('of unknown messages, and with forged ids, are counted and ignored', async () => {
    const { email_id } = await sent();
    const forged = tracking.tokens.copyId(email_id, 0).replace(/.$/, last => (last === 'a' ? 'b' : 'a'));
    const ignored = () => tracking.counter('postern_tracking_reports_ignored', 'unknown_message');
    const before = await ignored();
    await expect(
      record(
        event(email_id, { copy_ids: [forged] }),
        event(email_id, { copy_ids: [], message_id: 'unknown@shop.test' }),
        event(email_id, { copy_ids: [] }),
      ),
    ).resolves.toEqual({ recorded: 0, ignored: 3 });
    expect(await ignored()).toBe(before + 3);
    expect(tracking.kinds(email_id)).toEqual([]);
  });

  it('about a message that is not known yet wait for it', async () => {
    const email = anEmail();
    await expect(record(event(email.email_id))).resolves.toEqual({ recorded: 1, ignored: 0 });
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
    await tracking.event(emailDelivered, email.email_id);
  });
});
