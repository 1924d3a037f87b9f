import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseMailbox } from '@postern/mail';
import { startSilencingProxy, waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { type EmailFacts, email } from '../emails/email.js';
import { Retention } from '../retention/retention.js';
import { partlyDeferred } from '../testing/deferred-copies-fixture.js';
import { type Process, refusalOf, request, SendingFixture } from '../testing/sending-fixture.js';

let fixture: SendingFixture;

beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterEach(() => fixture.smtp.reset());
afterAll(() => fixture.stop());

describe('a process that dies between hand-over and answer', () => {
  it('leaves a message that the next process closes as interrupted, and that is never sent again', async () => {
    const { keyHash, sender } = fixture.sender();
    const killed = await fixture.process();
    await dieInTheMiddle(killed, keyHash, 'crash');

    const next = await fixture.process();
    expect(await refusalOf(next.sendEmail.execute(request(keyHash, {}, 'crash')))).toMatchObject({
      code: 'idempotency_key_in_flight',
    });
    await next.closeInterrupted.run();
    const replay = await next.sendEmail.execute(request(keyHash, {}, 'crash'));
    expect(replay).toMatchObject({
      replayed: true,
      email: { status: 'failed', message: 'interrupted: outcome unknown', to: ['ada@x.test'] },
    });
    expect((await fixture.events(replay.email.id)).map(({ type }) => type)).toEqual([
      'email-send.email-accepted.v1',
      'email-send.email-interrupted.v1',
    ]);
    expect(await next.emails.record(sender.serviceId, replay.email.id)).toEqual(replay.email);
    // The relay accepted it once, while the first process was running.
    expect(fixture.smtp.messages).toHaveLength(1);
  });

  it('with the power of its machine, which closes no connection, is dead within 20 seconds', async () => {
    const { keyHash } = fixture.sender();
    const network = await startSilencingProxy(fixture.databaseUrl);
    const lost = await fixture.process(undefined, network.url);
    fixture.smtp.answer({ stage: 'data', delayMs: 300, times: 1 });
    lost.sendEmail.execute(request(keyHash, {}, 'power')).catch(() => {});
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    network.silence({ withNew: true });
    const next = await fixture.process();
    await waitFor(
      async () => {
        await next.closeInterrupted.run();
        return (await fixture.inProgress()) === 0;
      },
      { timeoutMs: 20_000 },
    );
    expect(await next.sendEmail.execute(request(keyHash, {}, 'power'))).toMatchObject({
      replayed: true,
      email: { message: 'interrupted: outcome unknown' },
    });
    await lost.instance.onApplicationShutdown();
    await network.stop();
  });

  it('is distinguished from a live one, whose messages in progress are not closed', async () => {
    const { keyHash } = fixture.sender();
    const slow = await fixture.process();
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const answer = slow.sendEmail.execute(request(keyHash));
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    await (await fixture.process()).closeInterrupted.run();
    expect((await answer).email.status).toBe('sent');
  });

  it('is closed once when all replicas check for dead processes at the same time', async () => {
    const { keyHash } = fixture.sender();
    await dieInTheMiddle(await fixture.process(), keyHash, 'many');
    const replicas = await Promise.all([1, 2, 3].map(() => fixture.process()));
    await Promise.all(replicas.map(replica => replica.closeInterrupted.run()));
    const { email } = await replicas[0]!.sendEmail.execute(request(keyHash, {}, 'many'));
    expect(await fixture.events(email.id)).toHaveLength(2);
  });

  it('and recovers finds its message closed, and the late answer of the relay resolves it', async () => {
    const { keyHash } = fixture.sender();
    const paused = await fixture.process();
    fixture.smtp.answer({ stage: 'data', delayMs: 600, times: 1 });
    const answer = paused.sendEmail.execute(request(keyHash));
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    await paused.instance.onApplicationShutdown();
    await (await fixture.process()).closeInterrupted.run();
    const { email: resolved } = await answer;
    expect(resolved).toMatchObject({ status: 'sent', message: expect.stringContaining('its late answer') });
    expect((await fixture.events(resolved.id)).map(({ type }) => type.split('.')[1])).toEqual([
      'email-accepted',
      'email-interrupted',
      'email-confirmed',
    ]);
  });
});

describe('an outage of the database between hand-over and answer', () => {
  it('delays the answer until the outcome is recorded', async () => {
    const process = await fixture.process();
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'data', delayMs: 500, times: 1 });
    const answer = process.sendEmail.execute(request(keyHash, {}, 'outage'));
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    await fixture.postgres.kill();
    await waitFor(() => fixture.smtp.counters.taken > 0 && fixture.smtp.messages.length === 1, { timeoutMs: 5_000 });
    await fixture.postgres.restart();
    expect((await answer).email.status).toBe('sent');
    expect(await fixture.events((await answer).email.id)).toHaveLength(2);
    expect(await process.sendEmail.execute(request(keyHash, {}, 'outage'))).toMatchObject({ replayed: true });
  });
});

describe('a message that was lost between two transactions', () => {
  it('is closed by its own process when no relay can answer any more', async () => {
    const process = await fixture.process();
    const { keyHash, sender } = fixture.sender();
    const { email: sent } = await process.sendEmail.execute(request(keyHash, {}, 'lost'));
    // Simulates a message that was accepted long ago and whose outcome was not recorded.
    const id = `00000000-0000-7000-8000-${sent.id.slice(-12)}`;
    const facts = { ...(await factsOf(sent.id)), email_id: id };
    await process.emails.admit({
      facts,
      events: email.decide({ kind: 'accept', facts }, email.initial),
      body,
      serviceId: sender.serviceId,
      emailId: id,
      fingerprint: uuidv7(),
      perMinuteLimit: 9,
      dailyLimit: 9,
      sharedDailyLimit: 9,
      at: new Date(),
      answerBy: new Date(Date.now() + 30_000),
    });
    await process.closeInterrupted.run();
    expect(await process.emails.record(sender.serviceId, id)).toBeUndefined();
    await fixture.pool.query(
      `UPDATE open_requests SET admitted_at = now() - interval '13 minutes' WHERE email_id = $1`,
      [id],
    );
    await process.closeInterrupted.run();
    expect(await process.emails.record(sender.serviceId, id)).toMatchObject({
      message: 'interrupted: outcome unknown',
    });
  });
});

describe('retention', () => {
  it('deletes the body of a final message, but not of one in progress or with a copy to retry', async () => {
    const process = await fixture.process();
    const { keyHash } = fixture.sender();
    const final = (await process.sendEmail.execute(request(keyHash))).email.id;
    const waiting = await partlyDeferred(fixture, process, { address: 'wait@x.test' });
    await dieInTheMiddle(await fixture.process(), keyHash, 'kept');
    await new Retention(fixture, fixture.settings).purgeBodies(new Date(Date.now() + 1_000));
    const { rows } = await fixture.pool.query<{ email_id: string; under_way: boolean }>(
      `SELECT email_id, email_id NOT IN (SELECT id FROM emails) AS under_way FROM sealed_email_bodies`,
    );
    expect(rows.map(({ email_id }) => email_id)).not.toContain(final);
    expect(rows.filter(({ under_way }) => under_way)).toHaveLength(1);
    expect(rows.filter(({ under_way }) => !under_way).map(({ email_id }) => email_id)).toEqual([waiting]);
  });

  it('deletes idempotency keys after 24 hours and past minutes, and keeps the days', async () => {
    const process = await fixture.process();
    const { keyHash, sender } = fixture.sender();
    await process.sendEmail.execute(request(keyHash, {}, 'expires'));
    await new Retention(fixture, fixture.settings).purgeExpired({
      now: new Date(Date.now() + 25 * 3_600_000),
    });
    expect(await fixture.count('idempotency_keys')).toBe(0);
    expect(await fixture.count(`sending_usage WHERE period = 'minute'`)).toBe(0);
    expect(await fixture.usedToday(sender.serviceId)).toBe(1);
  });
});

const body = {
  from: parseMailbox('shop@example.com'),
  to: [parseMailbox('ada@x.test')],
  cc: [],
  replyTo: [],
  text: 'Thank you.',
  headers: {},
  openTracking: false,
  clickTracking: false,
};

async function factsOf(emailId: string): Promise<EmailFacts> {
  return (await fixture.events(emailId))[0]!.data as EmailFacts;
}

/** The process dies after the relay has accepted the message and before the outcome is recorded. */
async function dieInTheMiddle(killed: Process, keyHash: string, key: string): Promise<void> {
  fixture.smtp.answer({ stage: 'data', delayMs: 300, times: 1 });
  const before = fixture.smtp.counters.taken;
  killed.sendEmail.execute(request(keyHash, {}, key)).catch(() => {});
  await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
  await killed.die();
  await waitFor(() => fixture.smtp.counters.taken > before, { timeoutMs: 5_000 });
}
