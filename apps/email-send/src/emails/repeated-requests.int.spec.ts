import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { Retention } from '../retention/retention.js';
import { type Process, refusalOf, request, SendingFixture } from '../testing/sending-fixture.js';

let fixture: SendingFixture;
let one: Process;
let two: Process;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  one = await fixture.process();
  two = await fixture.process();
});
afterEach(() => fixture.smtp.reset());
afterAll(() => fixture.stop());

const named = (keyHash: string, changes: object = {}, key?: string) => ({
  ...request(keyHash, {}, key),
  email_id: uuidv7(),
  ...changes,
});

/** Moves the deadline of a message into the past, as if its client got the answer "outcome unknown". */
const deadlinePassedFor = (emailId: string, seconds = 5) =>
  fixture.pool.query(`UPDATE open_requests SET answer_by = now() - make_interval(secs => $2) WHERE email_id = $1`, [
    emailId,
    seconds,
  ]);

describe('a request that is repeated under the same id', () => {
  it('gets the first answer, from any process, and sends nothing twice', async () => {
    const { keyHash, sender } = fixture.sender();
    const original = named(keyHash);
    const first = await one.sendEmail.execute(original);
    expect(first.email.id).toBe(original.email_id);
    for (const process of [one, two]) {
      expect(await process.sendEmail.execute(original)).toMatchObject({ email: first.email, replayed: false });
    }
    expect(fixture.smtp.messages).toHaveLength(1);
    expect(await fixture.usedToday(sender.serviceId)).toBe(1);
  });

  it('waits for the first in the same process, and is refused with an unknown outcome in another one', async () => {
    const original = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const first = one.sendEmail.execute(original);
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    expect(await refusalOf(two.sendEmail.execute(original))).toMatchObject({
      code: 'outcome_unknown',
      details: { email_id: original.email_id },
    });
    expect(await one.sendEmail.execute(original)).toEqual(await first);
    expect(fixture.smtp.messages).toHaveLength(1);
  });

  it('under a key gets its own answer, not a replayed one', async () => {
    const original = named(fixture.sender().keyHash, {}, 'own');
    const first = await one.sendEmail.execute(original);
    expect(await two.sendEmail.execute(original)).toMatchObject({ email: first.email, replayed: false });
  });

  it('is refused again when nothing was handed over', async () => {
    const original = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'rcpt', address: 'ada@x.test', code: 451, text: '4.3.0 later', times: 1 });
    for (const process of [one, two]) {
      expect(await refusalOf(process.sendEmail.execute(original))).toMatchObject({ code: 'relay_unavailable' });
    }
    expect(fixture.smtp.messages).toHaveLength(0);
  });
});

describe('a request whose admission was not confirmed', () => {
  const entryOf = async (emailId: string) => {
    const [accepted] = await fixture.events(emailId);
    return { facts: accepted!.data } as unknown as Parameters<Process['emails']['withdraw']>[0];
  };

  it('does not end a message that an earlier attempt under its id admitted', async () => {
    const original = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const first = one.sendEmail.execute(original);
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    const { facts } = await entryOf(original.email_id);
    const later = new Date(Date.parse(facts.accepted_at) + 1_000).toISOString();
    const second = { facts: { ...facts, accepted_at: later } } as Parameters<Process['emails']['withdraw']>[0];
    await two.emails.withdraw(second, new Error('connection lost'), later);
    expect((await first).email.status).toBe('sent');
  });

  it('ends a message that it admitted itself', async () => {
    const original = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const first = one.sendEmail.execute(original);
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    await one.emails.withdraw(await entryOf(original.email_id), new Error('connection lost'), new Date().toISOString());
    expect((await fixture.events(original.email_id)).map(({ type }) => type)).toContain(
      'email-send.email-not-handed-over.v1',
    );
    await refusalOf(first);
  });
});

describe('the same body after an answer that the outcome is unknown', () => {
  it('gets the record of that message, from any process', async () => {
    const { keyHash, sender } = fixture.sender();
    const first = await one.sendEmail.execute(named(keyHash));
    await deadlinePassedFor(first.email.id);
    expect(await two.sendEmail.execute(named(keyHash))).toMatchObject({ email: first.email, replayed: true });
    expect(fixture.smtp.messages).toHaveLength(1);
    expect(await fixture.usedToday(sender.serviceId)).toBe(1);
  });

  it('gets the record even if the message would be refused now', async () => {
    const { keyHash, sender } = fixture.sender({ mode: 'sandbox', verifiedRecipients: new Set(['ada@x.test']) });
    const first = await one.sendEmail.execute(named(keyHash));
    await deadlinePassedFor(first.email.id);
    fixture.senders.senders.set(keyHash, { ...sender, verifiedRecipients: new Set() });
    expect(await two.sendEmail.execute(named(keyHash))).toMatchObject({ email: first.email, replayed: true });
  });

  it('is another message once the answer to the first was received', async () => {
    const { keyHash } = fixture.sender();
    const first = await one.sendEmail.execute(named(keyHash));
    await deadlinePassedFor(first.email.id);
    one.emails.answerReceived(first.email.id);
    await waitFor(async () => (await fixture.count(`open_requests WHERE email_id = '${first.email.id}'`)) === 0, {
      timeoutMs: 5_000,
    });
    expect(await two.sendEmail.execute(named(keyHash))).toMatchObject({ replayed: false });
    expect(fixture.smtp.messages).toHaveLength(2);
  });

  it('is another message while the client of the first still waits, or ten minutes later', async () => {
    const { keyHash } = fixture.sender();
    const first = await one.sendEmail.execute(named(keyHash));
    expect(await one.sendEmail.execute(named(keyHash))).toMatchObject({ replayed: false });
    await fixture.pool.query('DELETE FROM open_requests WHERE email_id <> $1', [first.email.id]);
    await deadlinePassedFor(first.email.id, 11 * 60 + 5);
    expect(await one.sendEmail.execute(named(keyHash))).toMatchObject({ replayed: false });
    await new Retention(fixture, fixture.settings).purgeOpenRequests({ now: new Date() });
    expect(await fixture.count(`open_requests WHERE email_id = '${first.email.id}'`)).toBe(0);
  });

  it('belongs to its service, and another body is another message', async () => {
    const { keyHash } = fixture.sender();
    const first = await one.sendEmail.execute(named(keyHash));
    await deadlinePassedFor(first.email.id);
    expect(await one.sendEmail.execute(named(fixture.sender().keyHash))).toMatchObject({ replayed: false });
    const other = { ...named(keyHash), ...request(keyHash, { subject: 'Another' }) };
    expect(await one.sendEmail.execute(other)).toMatchObject({ replayed: false });
  });

  it('is refused with an unknown outcome while the message is in progress, and gets its record afterwards', async () => {
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'data', delayMs: 500, times: 1 });
    const original = named(keyHash);
    const first = one.sendEmail.execute(original);
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    await deadlinePassedFor(original.email_id);
    const retry = named(keyHash);
    expect(await refusalOf(two.sendEmail.execute(retry))).toMatchObject({
      code: 'outcome_unknown',
      details: { email_id: original.email_id },
    });
    const { email } = await first;
    expect(await two.sendEmail.execute(retry)).toMatchObject({ email, replayed: true });
    expect(fixture.smtp.messages).toHaveLength(1);
  });

  it('is sent again if nothing of the first was handed over', async () => {
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'rcpt', address: 'ada@x.test', code: 451, text: '4.3.0 later', times: 1 });
    const original = named(keyHash);
    await refusalOf(one.sendEmail.execute(original));
    await deadlinePassedFor(original.email_id);
    expect(await two.sendEmail.execute(named(keyHash))).toMatchObject({ replayed: false });
    expect(fixture.smtp.messages).toHaveLength(1);
  });
});

describe('a repeated Idempotency-Key whose message is in progress', () => {
  it('is refused as in flight until the deadline of the first, and with an unknown outcome after it', async () => {
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'data', delayMs: 600, times: 1 });
    const original = named(keyHash, {}, 'slow');
    const first = one.sendEmail.execute(original);
    await waitFor(async () => (await fixture.inProgress()) === 1, { timeoutMs: 5_000 });
    const again = () => refusalOf(two.sendEmail.execute(named(keyHash, {}, 'slow')));
    expect(await again()).toMatchObject({ code: 'idempotency_key_in_flight' });
    await deadlinePassedFor(original.email_id);
    expect(await again()).toMatchObject({ code: 'outcome_unknown', details: { email_id: original.email_id } });
    await first;
  });
});

describe('the deadline of a client', () => {
  it('that has passed starts no work', async () => {
    const { keyHash, sender } = fixture.sender();
    expect(await refusalOf(one.sendEmail.execute(named(keyHash, { answer_within_ms: 0 })))).toMatchObject({
      code: 'deadline_passed',
    });
    expect(await fixture.usedToday(sender.serviceId)).toBe(0);
  });

  it('that is too close for the relay ends the message before its hand-over and releases its key and its count', async () => {
    const { keyHash, sender } = fixture.sender();
    const original = named(keyHash, { answer_within_ms: 2_500 }, 'near');
    expect(await refusalOf(one.sendEmail.execute(original))).toMatchObject({ code: 'relay_unavailable' });
    expect(fixture.smtp.messages).toHaveLength(0);
    expect((await fixture.events(original.email_id)).map(({ type }) => type.split('.')[1])).toEqual([
      'email-accepted',
      'email-not-handed-over',
    ]);
    expect(await fixture.usedToday(sender.serviceId)).toBe(0);
    expect(await one.sendEmail.execute(named(keyHash, {}, 'near'))).toMatchObject({ replayed: false });
  });

  it('ends the wait for the relay in time to answer that the outcome is unknown', async () => {
    const { keyHash, sender } = fixture.sender();
    fixture.smtp.answer({ stage: 'data', delayMs: 6_000, times: 1 });
    const original = named(keyHash, { answer_within_ms: 4_000 });
    const answerBy = Date.now() + original.answer_within_ms;
    expect(await refusalOf(one.sendEmail.execute(original))).toMatchObject({ code: 'outcome_unknown' });
    expect(Date.now()).toBeLessThan(answerBy);
    await waitFor(async () => (await one.emails.record(sender.serviceId, original.email_id)) !== undefined, {
      timeoutMs: 10_000,
    });
    expect(await one.emails.record(sender.serviceId, original.email_id)).toMatchObject({ status: 'sent' });
  });
});

describe('a body with the same values in another order', () => {
  it('is the same request under an Idempotency-Key', async () => {
    const { keyHash } = fixture.sender();
    const headers = { 'X-A': '1', 'X-B': '2' };
    const first = await one.sendEmail.execute(request(keyHash, { headers }, 'order'));
    const reordered = request(keyHash, { headers: { 'X-B': '2', 'X-A': '1' } }, 'order');
    expect(await two.sendEmail.execute(reordered)).toMatchObject({ email: first.email, replayed: true });
  });
});
