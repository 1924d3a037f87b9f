import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Sender } from '../api-keys/ports.js';
import { HOUR_MS, ScheduledEmailsFixture } from '../testing/scheduled-emails-fixture.js';
import { refusalOf, request, type SendingFixture } from '../testing/sending-fixture.js';

let fixture: ScheduledEmailsFixture;
let sending: SendingFixture;

beforeAll(async () => {
  fixture = await ScheduledEmailsFixture.start();
  ({ sending } = fixture);
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

describe('At its time, a scheduled message is checked again:', () => {
  it.each<[string, Partial<Sender> | undefined, string]>([
    ['the key was revoked', undefined, 'the API key that scheduled this message was revoked'],
    ['the service was disabled', { enabled: false }, 'this email service is disabled'],
    ['the recipient was removed', { mode: 'sandbox' }, 'ada@x.test is not a verified sandbox recipient'],
  ])('it fails if %s', async (_, change, error) => {
    const { keyHash, sender } = sending.sender();
    const scheduled = await fixture.schedule(keyHash);
    if (change) sending.senders.senders.set(keyHash, { ...sender, ...change });
    else sending.senders.senders.delete(keyHash);
    await fixture.runAfter(1.1);
    sending.senders.senders.set(keyHash, sender);
    const failed = await fixture.get(keyHash, scheduled);
    expect(failed).toEqual({ ...scheduled, state: 'failed', error: expect.stringContaining(error) });
    expect(sending.smtp.messages).toHaveLength(0);
    expect(await fixture.row(scheduled)).toMatchObject({ sealed: null });
  });

  it('it waits while a limit is reached', async () => {
    const { keyHash } = sending.sender({ perMinuteLimit: 1 });
    await fixture.process.sendEmail.execute(request(keyHash));
    const scheduled = await fixture.schedule(keyHash, { to: ['limited@x.test'] });
    const other = await fixture.schedule(keyHash, { to: ['limited@x.test'] });
    await fixture.runAfter(1.1);
    expect(await fixture.get(keyHash, scheduled)).toEqual(scheduled);
    expect(Number((await fixture.row(other)).due_at)).toBeGreaterThan(Date.now() + fixture.aheadMs);
    expect(fixture.copiesTo('limited@x.test')).toHaveLength(0);
  });

  it('it is tried again, as another message, while the relay is unavailable', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['busy@x.test'] });
    sending.smtp.answer({ stage: 'rcpt', address: 'busy@x.test', code: 451, text: '4.3.0 busy', times: 1 });
    await fixture.runAfter(1.1);
    expect(await fixture.get(keyHash, scheduled)).toEqual(scheduled);
    await fixture.runAfter(1.2);
    expect(await fixture.get(keyHash, scheduled)).toMatchObject({ state: 'sent' });
    expect(fixture.copiesTo('busy@x.test')).toHaveLength(1);
  });

  it('it fails with the record of the message if the relay refuses it for good', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['refused@x.test'] });
    sending.smtp.answer({ stage: 'rcpt', address: 'refused@x.test', code: 550, text: '5.1.1 no', times: 1 });
    await fixture.runAfter(1.1);
    const failed = await fixture.get(keyHash, scheduled);
    expect(failed).toMatchObject({ state: 'failed', email_id: expect.any(String), error: expect.any(String) });
    expect(failed.error).toBe(
      (await fixture.process.emails.record((await fixture.row(scheduled)).service_id, failed.email_id!))?.message,
    );
  });
});

describe('Exactly one copy is sent', () => {
  it('by two replicas at the same time', async () => {
    const { keyHash } = sending.sender();
    for (let count = 0; count < 30; count++) await fixture.schedule(keyHash, { to: ['once@x.test'] });
    const other = await sending.process();
    await Promise.all([fixture.runAfter(1.1), fixture.runAfter(1.1, other)]);
    await fixture.runAfter(1.2);
    expect(fixture.copiesTo('once@x.test')).toHaveLength(30);
    expect(await sending.count(`scheduled_emails WHERE state = 'sent'`)).toBe(30);
  });

  it('with equal content as another message', async () => {
    const { keyHash } = sending.sender();
    await fixture.schedule(keyHash, { to: ['twin@x.test'] });
    await fixture.schedule(keyHash, { to: ['twin@x.test'] });
    await fixture.runAfter(1.1);
    expect(fixture.copiesTo('twin@x.test')).toHaveLength(2);
  });

  it('if the process dies after it was sent, before that was recorded', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash, { to: ['died@x.test'] });
    const dying = await sending.process();
    const { repository } = fixture.inProcess(dying);
    fixture.aheadMs = 1.1 * HOUR_MS;
    const [claimed] = await repository.claimDue(fixture.clock.now(), 1);
    const { email } = request(keyHash, { to: ['died@x.test'] });
    await dying.sendEmail.execute({ ...request(keyHash), email, email_id: claimed!.attemptId });
    await dying.die();
    await fixture.runAfter(1.1);
    expect(await fixture.get(keyHash, scheduled)).toEqual(scheduled);
    await fixture.runAfter(1.3);
    expect(await fixture.get(keyHash, scheduled)).toMatchObject({ state: 'sent', email_id: claimed!.attemptId });
    expect(fixture.copiesTo('died@x.test')).toHaveLength(1);
  });

  it('if the process dies before it was sent', async () => {
    const { keyHash } = sending.sender();
    await fixture.schedule(keyHash, { to: ['unsent@x.test'] });
    const dying = await sending.process();
    fixture.aheadMs = 1.1 * HOUR_MS;
    await fixture.inProcess(dying).repository.claimDue(fixture.clock.now(), 1);
    await dying.die();
    await fixture.runAfter(1.3);
    expect(fixture.copiesTo('unsent@x.test')).toHaveLength(1);
  });

  it('or none, and it cannot be cancelled, while it may be being sent', async () => {
    const { keyHash } = sending.sender();
    const scheduled = await fixture.schedule(keyHash);
    fixture.aheadMs = 1.1 * HOUR_MS;
    await fixture.inProcess().repository.claimDue(fixture.clock.now(), 1);
    const named = { api_key_hash: keyHash, scheduled_email_id: scheduled.id };
    expect(await refusalOf(fixture.inProcess().requests.cancel(named))).toMatchObject({
      code: 'scheduled_email_not_waiting',
      message: 'this scheduled email is being sent',
    });
  });
});
