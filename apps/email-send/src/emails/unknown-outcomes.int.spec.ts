import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { type Process, request, SendingFixture } from '../testing/sending-fixture.js';
import type { Evidence } from './email.js';
import { type Outcomes, ResolveUnknownEmails } from './resolve-unknown-emails.js';

let fixture: SendingFixture;

beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterEach(() => fixture.smtp.reset());
afterAll(() => fixture.stop());

/** Kills the process of a message while the relay accepts it; returns the id of the message. */
const interrupted = async (keyHash: string): Promise<string> => {
  const killed = await fixture.process();
  const email_id = uuidv7();
  fixture.smtp.answer({ stage: 'data', delayMs: 300, times: 1 });
  const before = fixture.smtp.counters.taken;
  killed.sendEmail.execute({ ...request(keyHash), email_id }).catch(() => {});
  await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
  await killed.die();
  await waitFor(() => fixture.smtp.counters.taken > before, { timeoutMs: 5_000 });
  return email_id;
};

type Outcome = Outcomes[number];

const outcome = (emailId: string, event: string, recipient_index = 0): Outcome =>
  ({
    type: `delivery-tracking.email-${event}.v1`,
    data: { email_id: emailId, recipient_index, timestamp: new Date().toISOString() },
  }) as unknown as Outcome;

const take = (process: Process, ...outcomes: Outcome[]) =>
  new ResolveUnknownEmails(process.unresolved).onOutcomes(outcomes);

describe('evidence of a message whose outcome is unknown', () => {
  it.each<[Exclude<Evidence['kind'], 'answered'>]>([
    ['delivered'],
    ['bounced'],
    ['complained'],
    ['opened'],
    ['clicked'],
  ])('turns its record to sent: %s', async kind => {
    const { keyHash, sender } = fixture.sender();
    const emailId = await interrupted(keyHash);
    const next = await fixture.process();
    await next.closeInterrupted.run();
    expect(await next.emails.record(sender.serviceId, emailId)).toMatchObject({ status: 'failed' });
    await take(next, outcome(emailId, kind), outcome(emailId, kind));
    expect(await next.emails.record(sender.serviceId, emailId)).toMatchObject({
      status: 'sent',
      message: expect.stringContaining('shows that it accepted the message'),
    });
    expect((await fixture.events(emailId)).map(({ type }) => type.split('.')[1])).toEqual([
      'email-accepted',
      'email-interrupted',
      'email-confirmed',
    ]);
    expect(await fixture.count('unresolved_emails')).toBe(0);
  });

  it('also takes effect when it arrives before the interruption is recorded', async () => {
    const { keyHash, sender } = fixture.sender();
    const emailId = await interrupted(keyHash);
    const next = await fixture.process();
    await take(next, outcome(emailId, 'delivered'));
    await next.closeInterrupted.run();
    expect(await next.emails.record(sender.serviceId, emailId)).toMatchObject({ status: 'sent' });
    expect(await fixture.count('unresolved_emails')).toBe(0);
  });

  it('and the interruption at the same moment end with sent', async () => {
    const { keyHash, sender } = fixture.sender();
    const emailId = await interrupted(keyHash);
    const [next, other] = [await fixture.process(), await fixture.process()];
    await Promise.all([
      next.closeInterrupted.run(),
      ...Array.from({ length: 4 }, (_, n) => take(n % 2 ? next : other, outcome(emailId, 'delivered'))),
    ]);
    expect(await next.emails.record(sender.serviceId, emailId)).toMatchObject({ status: 'sent' });
  });

  it('does not keep a live process from recording the response of the relay', async () => {
    const { keyHash } = fixture.sender();
    const process = await fixture.process();
    const email_id = uuidv7();
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const answer = process.sendEmail.execute({ ...request(keyHash), email_id });
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    await take(process, outcome(email_id, 'delivered'));
    expect((await answer).email).toMatchObject({ status: 'sent', message: 'Sent to the relay.' });
  });

  it('of a suppressed copy has no effect', async () => {
    const { keyHash, sender } = fixture.sender({ suppression: true });
    const process = await fixture.process();
    await process.suppressions.apply([
      { serviceId: sender.serviceId, address: 'listed@x.test', isSuppressed: true, at: new Date() },
    ]);
    fixture.smtp.answer({ stage: 'data', cut: 'after', times: 1 });
    const { email } = await process.sendEmail.execute(request(keyHash, { to: ['ada@x.test', 'listed@x.test'] }));
    expect(email.status).toBe('failed');
    await take(process, outcome(email.id, 'bounced', 1));
    expect(await process.emails.record(sender.serviceId, email.id)).toMatchObject({ status: 'failed' });
    await take(process, outcome(email.id, 'bounced', 0));
    expect(await process.emails.record(sender.serviceId, email.id)).toMatchObject({ status: 'sent' });
  });
});
