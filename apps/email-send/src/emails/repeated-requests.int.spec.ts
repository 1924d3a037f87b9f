import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { PostgresOpenRequests } from '../retention/postgres-open-requests.js';
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

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
const named = (keyHash: string, changes: object = {}, key?: string) => ({
  ...request(keyHash, {}, key),
  email_id: uuidv7(),
  answer_by: inSeconds(30),
  ...changes,
});

/** As if the client of this message had been told long ago that its outcome is unknown. */
const deadlinePassedFor = (emailId: string, seconds = 5) =>
  fixture.pool.query(`UPDATE open_requests SET answer_by = now() - make_interval(secs => $2) WHERE email_id = $1`, [
    emailId,
    seconds,
  ]);

describe('a request that is asked again under the same id', () => {
  it('gets the answer of the first, from any process, and sends nothing twice', async () => {
    const { keyHash, sender } = fixture.sender();
    const asked = named(keyHash);
    const first = await one.sendEmail.execute(asked);
    expect(first.email.id).toBe(asked.email_id);
    for (const process of [one, two]) {
      expect(await process.sendEmail.execute(asked)).toMatchObject({ email: first.email, replayed: false });
    }
    expect(fixture.smtp.messages).toHaveLength(1);
    expect(await fixture.usedToday(sender.serviceId)).toBe(1);
  });

  it('waits for the first in the process that has it, and is told elsewhere that the outcome is unknown so far', async () => {
    const asked = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const first = one.sendEmail.execute(asked);
    await waitFor(async () => (await fixture.underWay()) === 1, { timeoutMs: 5_000 });
    expect(await refusalOf(two.sendEmail.execute(asked))).toMatchObject({
      code: 'outcome_unknown',
      details: { email_id: asked.email_id },
    });
    expect(await one.sendEmail.execute(asked)).toEqual(await first);
    expect(fixture.smtp.messages).toHaveLength(1);
  });

  it('under a key gets its own answer, not a replayed one', async () => {
    const asked = named(fixture.sender().keyHash, {}, 'own');
    const first = await one.sendEmail.execute(asked);
    expect(await two.sendEmail.execute(asked)).toMatchObject({ email: first.email, replayed: false });
  });

  it('hears again that nothing was handed over', async () => {
    const asked = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'rcpt', address: 'ada@x.test', code: 451, text: '4.3.0 later', times: 1 });
    for (const process of [one, two]) {
      expect(await refusalOf(process.sendEmail.execute(asked))).toMatchObject({ code: 'relay_unavailable' });
    }
    expect(fixture.smtp.messages).toHaveLength(0);
  });
});

describe('a request whose admission nobody confirmed', () => {
  const entryOf = async (emailId: string) => {
    const [accepted] = await fixture.events(emailId);
    return { facts: accepted!.data } as unknown as Parameters<Process['emails']['withdraw']>[0];
  };

  it('leaves a message alone that an earlier question under its id admitted', async () => {
    const asked = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const first = one.sendEmail.execute(asked);
    await waitFor(async () => (await fixture.underWay()) === 1, { timeoutMs: 5_000 });
    const { facts } = await entryOf(asked.email_id);
    const later = new Date(Date.parse(facts.accepted_at) + 1_000).toISOString();
    const second = { facts: { ...facts, accepted_at: later } } as Parameters<Process['emails']['withdraw']>[0];
    await two.emails.withdraw(second, new Error('connection lost'), later);
    expect((await first).email.status).toBe('sent');
  });

  it('ends a message that it admitted itself', async () => {
    const asked = named(fixture.sender().keyHash);
    fixture.smtp.answer({ stage: 'data', delayMs: 400, times: 1 });
    const first = one.sendEmail.execute(asked);
    await waitFor(async () => (await fixture.underWay()) === 1, { timeoutMs: 5_000 });
    await one.emails.withdraw(await entryOf(asked.email_id), new Error('connection lost'), inSeconds(0));
    expect((await fixture.events(asked.email_id)).map(({ type }) => type)).toContain(
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

  it('gets the record even where the message would be refused by now', async () => {
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
    await new PostgresOpenRequests(fixture).purge(new Date());
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

  it('is told that the outcome is unknown while the message is still under way, and gets its record afterwards', async () => {
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'data', delayMs: 500, times: 1 });
    const asked = named(keyHash);
    const first = one.sendEmail.execute(asked);
    await waitFor(async () => (await fixture.underWay()) === 1, { timeoutMs: 5_000 });
    await deadlinePassedFor(asked.email_id);
    const retry = named(keyHash);
    expect(await refusalOf(two.sendEmail.execute(retry))).toMatchObject({
      code: 'outcome_unknown',
      details: { email_id: asked.email_id },
    });
    const { email } = await first;
    expect(await two.sendEmail.execute(retry)).toMatchObject({ email, replayed: true });
    expect(fixture.smtp.messages).toHaveLength(1);
  });

  it('is sent afresh where nothing of the first was handed over', async () => {
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'rcpt', address: 'ada@x.test', code: 451, text: '4.3.0 later', times: 1 });
    const asked = named(keyHash);
    await refusalOf(one.sendEmail.execute(asked));
    await deadlinePassedFor(asked.email_id);
    expect(await two.sendEmail.execute(named(keyHash))).toMatchObject({ replayed: false });
    expect(fixture.smtp.messages).toHaveLength(1);
  });
});

describe('a repeated Idempotency-Key whose message is still under way', () => {
  it('is in flight until the deadline of the first, and of unknown outcome after it', async () => {
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'data', delayMs: 600, times: 1 });
    const asked = named(keyHash, {}, 'slow');
    const first = one.sendEmail.execute(asked);
    await waitFor(async () => (await fixture.underWay()) === 1, { timeoutMs: 5_000 });
    const again = () => refusalOf(two.sendEmail.execute(named(keyHash, {}, 'slow')));
    expect(await again()).toMatchObject({ code: 'idempotency_key_in_flight' });
    await deadlinePassedFor(asked.email_id);
    expect(await again()).toMatchObject({ code: 'outcome_unknown', details: { email_id: asked.email_id } });
    await first;
  });
});

describe('the deadline of a client', () => {
  it('that has passed lets nothing begin', async () => {
    const { keyHash, sender } = fixture.sender();
    expect(await refusalOf(one.sendEmail.execute(named(keyHash, { answer_by: inSeconds(-1) })))).toMatchObject({
      code: 'deadline_passed',
    });
    expect(await fixture.usedToday(sender.serviceId)).toBe(0);
  });

  it('that is too near for the relay ends the message before its hand-over; its key and place are free again', async () => {
    const { keyHash, sender } = fixture.sender();
    const asked = named(keyHash, { answer_by: inSeconds(2.5) }, 'near');
    expect(await refusalOf(one.sendEmail.execute(asked))).toMatchObject({ code: 'relay_unavailable' });
    expect(fixture.smtp.messages).toHaveLength(0);
    expect((await fixture.events(asked.email_id)).map(({ type }) => type.split('.')[1])).toEqual([
      'email-accepted',
      'email-not-handed-over',
    ]);
    expect(await fixture.usedToday(sender.serviceId)).toBe(0);
    expect(await one.sendEmail.execute(named(keyHash, {}, 'near'))).toMatchObject({ replayed: false });
  });

  it('ends the wait for the relay in time to record the outcome', async () => {
    const { keyHash } = fixture.sender();
    fixture.smtp.answer({ stage: 'data', delayMs: 6_000, times: 1 });
    const asked = named(keyHash, { answer_by: inSeconds(4) });
    const { email } = await one.sendEmail.execute(asked);
    expect(email).toMatchObject({ status: 'failed', message: expect.stringContaining('outcome unknown') });
    expect(Date.now()).toBeLessThan(Date.parse(asked.answer_by));
  });
});

describe('a body with the same values in another order', () => {
  it('is the same request under an Idempotency-Key', async () => {
    const { keyHash } = fixture.sender();
    const headers = { 'X-A': '1', 'X-B': '2' };
    const first = await one.sendEmail.execute({ ...request(keyHash, { headers }, 'order'), body_hash: 'some bytes' });
    const reordered = { ...request(keyHash, { headers: { 'X-B': '2', 'X-A': '1' } }, 'order'), body_hash: 'others' };
    expect(await two.sendEmail.execute(reordered)).toMatchObject({ email: first.email, replayed: true });
  });
});
