import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
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

describe('twenty requests at once under one Idempotency-Key', () => {
  it('over two processes send one message; each gets its record or must wait', async () => {
    const { keyHash, sender } = fixture.sender();
    const outcomes = await Promise.all(times(20, n => outcomeOf(n % 2 ? one : two, keyHash, {}, 'race')));
    const sent = outcomes.filter(outcome => outcome === 'sent');
    expect(sent).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome !== 'sent' && outcome !== 'replayed')).toEqual(
      outcomes.filter(outcome => outcome === 'idempotency_key_in_flight'),
    );
    expect(fixture.smtp.messages).toHaveLength(1);
    expect(await fixture.usedToday(sender.serviceId)).toBe(1);
  });

  it('with different bodies admit one and refuse the others as reused', async () => {
    const { keyHash } = fixture.sender();
    const outcomes = await Promise.all(
      times(20, n => outcomeOf(n % 2 ? one : two, keyHash, { subject: `Subject ${n}` }, 'bodies')),
    );
    expect(outcomes.filter(outcome => outcome === 'sent')).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome === 'idempotency_key_reused')).toHaveLength(19);
    expect(fixture.smtp.messages).toHaveLength(1);
  });
});

describe('a repeated request', () => {
  it('gets the first answer again and consumes nothing', async () => {
    const { keyHash, sender } = fixture.sender();
    const first = await one.sendEmail.execute(request(keyHash, {}, 'again'));
    const again = await two.sendEmail.execute(request(keyHash, {}, 'again'));
    expect(again).toEqual({
      email: first.email,
      rate_limit: { ...first.rate_limit, reset_s: expect.any(Number) },
      replayed: true,
    });
    expect(await fixture.usedToday(sender.serviceId)).toBe(1);
    expect(fixture.smtp.messages).toHaveLength(1);
  });

  it('gets the first answer even when the recipient is no longer verified', async () => {
    const { keyHash, sender } = fixture.sender({ mode: 'sandbox', verifiedRecipients: new Set(['ada@x.test']) });
    const first = await one.sendEmail.execute(request(keyHash, {}, 'removed'));
    fixture.senders.senders.set(keyHash, { ...sender, verifiedRecipients: new Set() });
    expect(await one.sendEmail.execute(request(keyHash, {}, 'removed'))).toMatchObject({
      replayed: true,
      email: first.email,
    });
    expect(await refusalOf(one.sendEmail.execute(request(keyHash, {}, 'other')))).toMatchObject({
      code: 'recipient_not_verified',
    });
  });

  it('gets the first answer even when the limits are reached', async () => {
    const { keyHash } = fixture.sender({ dailyLimit: 1 });
    await one.sendEmail.execute(request(keyHash, {}, 'last'));
    expect(await one.sendEmail.execute(request(keyHash, {}, 'last'))).toMatchObject({ replayed: true });
  });

  it('under the key of another service is a separate request', async () => {
    await one.sendEmail.execute(request(fixture.sender().keyHash, {}, 'shared'));
    expect(await one.sendEmail.execute(request(fixture.sender().keyHash, {}, 'shared'))).toMatchObject({
      replayed: false,
    });
  });

  it('after 24 hours is a new request', async () => {
    const { keyHash, sender } = fixture.sender();
    await one.sendEmail.execute(request(keyHash, {}, 'old'));
    await fixture.pool.query(
      `UPDATE idempotency_keys SET claimed_at = claimed_at - interval '24 hours 1 second' WHERE service_id = $1`,
      [sender.serviceId],
    );
    expect(await one.sendEmail.execute(request(keyHash, { subject: 'Another' }, 'old'))).toMatchObject({
      replayed: false,
    });
  });
});

describe('the limits', () => {
  it('per day are never exceeded by two processes at once, and are part of the refusal', async () => {
    const { keyHash, sender } = fixture.sender({ dailyLimit: 7 });
    const outcomes = await Promise.all(times(40, n => outcomeOf(n % 2 ? one : two, keyHash)));
    expect(outcomes.filter(outcome => outcome === 'sent')).toHaveLength(7);
    expect(outcomes.filter(outcome => outcome === 'daily_limit_reached')).toHaveLength(33);
    expect(await fixture.usedToday(sender.serviceId)).toBe(7);
    expect(await refusalOf(one.sendEmail.execute(request(keyHash)))).toMatchObject({
      code: 'daily_limit_reached',
      details: { retry_after_s: expect.any(Number), rate_limit: { limit: 7, remaining: 0 } },
    });
  });

  it('per minute are never exceeded by two processes at once', async () => {
    const { keyHash } = fixture.sender({ perMinuteLimit: 5 });
    const outcomes = await Promise.all(times(40, n => outcomeOf(n % 2 ? one : two, keyHash)));
    const [sent, refused] = ['sent', 'minute_limit_reached'].map(
      kind => outcomes.filter(outcome => outcome === kind).length,
    );
    // A new minute may have started in between.
    expect([5, 10]).toContain(sent);
    expect(refused).toBe(40 - sent!);
  });

  it('of the shared sender hold for strangers after the last domain is deleted, and not for verified recipients', async () => {
    const withoutDomain = { verifiedDomains: new Map(), registeredDomains: new Set<string>() };
    const { keyHash } = fixture.sender({
      ...withoutDomain,
      sharedDailyLimit: 3,
      verifiedRecipients: new Set(['ada@x.test']),
    });
    const toStrangers = await Promise.all(
      times(20, n => outcomeOf(n % 2 ? one : two, keyHash, { to: ['ada@x.test', 'eve@x.test'] })),
    );
    expect(toStrangers.filter(outcome => outcome === 'sent')).toHaveLength(3);
    expect(toStrangers.filter(outcome => outcome === 'daily_limit_reached')).toHaveLength(17);
    expect(await Promise.all(times(5, () => outcomeOf(one, keyHash)))).toEqual(times(5, () => 'sent'));
  });

  it('of the shared sender are not consumed by a message that no relay accepted', async () => {
    const { keyHash } = fixture.sender({ verifiedDomains: new Map(), sharedDailyLimit: 1 });
    fixture.smtp.answer({ stage: 'rcpt', address: 'eve@x.test', code: 451, text: '4.2.0 later', times: 1 });
    expect(await outcomeOf(one, keyHash, { to: ['eve@x.test'] })).toBe('relay_unavailable');
    expect(await outcomeOf(one, keyHash, { to: ['eve@x.test'] })).toBe('sent');
  });

  it('free the key of a refused request', async () => {
    const { keyHash, sender } = fixture.sender({ dailyLimit: 0 });
    await refusalOf(one.sendEmail.execute(request(keyHash, {}, 'refused')));
    fixture.senders.senders.set(keyHash, { ...sender, dailyLimit: 1 });
    expect(await one.sendEmail.execute(request(keyHash, {}, 'refused'))).toMatchObject({ replayed: false });
  });

  it('of one service do not affect other services in the same transaction', async () => {
    const full = fixture.sender({ dailyLimit: 0 });
    const open = fixture.sender();
    const outcomes = await Promise.all(times(10, n => outcomeOf(one, (n % 2 ? full : open).keyHash)));
    expect(outcomes).toEqual(times(10, n => (n % 2 ? 'daily_limit_reached' : 'sent')));
  });
});

async function outcomeOf(process: Process, ...args: Parameters<typeof request>): Promise<string> {
  return process.sendEmail.execute(request(...args)).then(
    ({ replayed }) => (replayed ? 'replayed' : 'sent'),
    (refusal: { code: string }) => refusal.code,
  );
}

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
