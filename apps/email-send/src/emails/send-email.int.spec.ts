import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startSmtpSink } from '@postern/testing';
import { type Process, refusalOf, request, SendingFixture, TRACKING } from '../testing/sending-fixture.js';

let fixture: SendingFixture;
let process: Process;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  process = await fixture.process();
});
afterEach(() => fixture.smtp.reset());
afterAll(() => fixture.stop());

describe('a production message', () => {
  it('is handed over, and answered with the record and the rate limit', async () => {
    const { keyHash } = fixture.sender({ dailyLimit: 10 });
    expect(await send(keyHash, { to: ['Ada <ada@x.test>'], cc: ['bob@x.test'] })).toEqual({
      email: {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        status: 'sent',
        mode: 'production',
        from: 'Shop <shop@example.com>',
        to: ['ada@x.test'],
        message: 'Sent to the relay for 2 recipients.',
      },
      rate_limit: { limit: 10, remaining: 9, reset_s: expect.any(Number) },
      replayed: false,
      message_id: expect.stringMatching(/^[\w.-]+@example\.com$/),
    });
  });

  it('reaches each recipient with a separate return path, shows to and cc to all recipients, and bcc to none', async () => {
    const { keyHash } = fixture.sender();
    const { email } = await send(keyHash, { to: ['ada@x.test'], cc: ['bob@x.test'], bcc: ['eve@x.test'] });
    const messages = await Promise.all(['ada@x.test', 'bob@x.test', 'eve@x.test'].map(copyFor));
    expect(messages.map(({ from }) => TRACKING.readReturnPathToken(from.split('@')[0]!))).toEqual(
      [0, 1, 2].map(recipientIndex => ({ emailId: email.id, recipientIndex })),
    );
    for (const { raw, to, envid } of messages) {
      expect(raw.toString()).toMatch(/^To: ada@x\.test\r\nCc: bob@x\.test\r\n/m);
      expect(raw.toString()).not.toContain('eve@x.test');
      expect(raw.toString()).toMatch(/^DKIM-Signature: .*d=example\.com/m);
      expect(to[0]).toMatchObject({ notify: ['SUCCESS', 'FAILURE', 'DELAY'] });
      expect(envid).toContain(email.id);
    }
    // Without tracking, copies differ only in their id and so in their signature.
    const withoutId = (raw: string) => raw.slice(raw.search(/^From: /m)).replace(/^X-Postern-Id: .*\r\n/m, '');
    expect(new Set(messages.map(({ raw }) => withoutId(raw.toString()))).size).toBe(1);
    expect(new Set(messages.map(({ raw }) => /^X-Postern-Id: (\S+)/m.exec(raw.toString())?.[1])).size).toBe(3);
  });

  it('with a hosted page to unsubscribe has a link of its own in each copy, signed', async () => {
    const { keyHash } = fixture.sender();
    const list_unsubscribe = { one_click: true, mailto: 'stop@example.com' };
    const { email } = await send(keyHash, { to: ['ada@x.test', 'bob@x.test'], list_unsubscribe });
    for (const [recipientIndex, address] of ['ada@x.test', 'bob@x.test'].entries()) {
      const raw = (await copyFor(address)).raw.toString();
      const [, token = ''] =
        /^List-Unsubscribe:\s+<https:\/\/mail\.test\/u\/([\w-]+)>,\s+<mailto:stop@example\.com>/m.exec(raw) ?? [];
      expect(TRACKING.readUnsubscribeToken(token)).toEqual({ emailId: email.id, recipientIndex });
      expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
      expect(raw.replaceAll('\r\n ', '')).toMatch(
        /^DKIM-Signature: .*h=[^;]*list-unsubscribe[^;]*list-unsubscribe-post/im,
      );
    }
  });

  it('with a hosted page to unsubscribe never reaches a suppressed address', async () => {
    const { keyHash, sender } = fixture.sender({ suppression: false });
    const { serviceId } = sender;
    await process.suppressions.apply([{ serviceId, address: 'off@x.test', isSuppressed: true, at: new Date() }]);
    const offered = await send(keyHash, { to: ['off@x.test'], list_unsubscribe: { one_click: true } });
    expect(offered.email.status).toBe('failed');
    expect((await send(keyHash, { to: ['off@x.test'] })).email.status).toBe('sent');
  });

  it('has its tags in its event, and not in its copies', async () => {
    const { keyHash } = fixture.sender();
    const { email } = await send(keyHash, { tags: { campaign: 'spring-4711' } });
    expect((await copyFor('ada@x.test')).raw.toString()).not.toContain('4711');
    const { rows } = await fixture.pool.query<{ tags: unknown }>(
      "SELECT data->'tags' AS tags FROM event_store.events WHERE stream_id = $1 AND version = 1",
      [`email-${email.id}`],
    );
    expect(rows).toEqual([{ tags: { campaign: 'spring-4711' } }]);
  });

  it('has its return paths at its own return-path domain, if that is verified', async () => {
    const verifiedDomains = new Map([
      ['example.com', { signers: [fixture.signer], returnPathDomain: 'bounces.example.com' }],
    ]);
    const { keyHash } = fixture.sender({ verifiedDomains });
    const { email } = await send(keyHash);
    const [localPart = '', domain] = (await copyFor('ada@x.test')).from.split('@');
    expect(domain).toBe('bounces.example.com');
    expect(TRACKING.readReturnPathToken(localPart)).toEqual({ emailId: email.id, recipientIndex: 0 });
  });

  it('is recorded as accepted and handed over, with its body outside the events', async () => {
    const { email } = await send(fixture.sender().keyHash, { text: 'A secret code: 123456' });
    const events = await fixture.events(email.id);
    expect(events.map(({ type }) => type)).toEqual(['email-send.email-accepted.v1', 'email-send.email-handed-over.v1']);
    expect(JSON.stringify(events)).not.toContain('123456');
  });

  it('from an unverified domain is sent from the sandbox sender, with the reason', async () => {
    const { keyHash } = fixture.sender();
    const { email } = await send(keyHash, { from: 'Ada <ada@elsewhere.test>', to: ['fallback@x.test'] });
    expect(email).toMatchObject({
      status: 'sent',
      mode: 'sandbox_fallback',
      from: 'Postern Sandbox <sandbox@sandbox.test>',
      message: expect.stringContaining('elsewhere.test is not a verified domain'),
    });
    expect((await copyFor('fallback@x.test')).raw.toString()).toMatch(/^Reply-To: Ada <ada@elsewhere\.test>/m);
  });
});

describe('a sandbox message', () => {
  const verified = { mode: 'sandbox', verifiedRecipients: new Set(['owner@x.test']) } as const;

  it('reaches a verified recipient from the shared sender', async () =>
    expect((await send(fixture.sender(verified).keyHash, { to: ['Owner@X.test'] })).email).toMatchObject({
      status: 'sent',
      mode: 'sandbox',
      from: 'Postern Sandbox <sandbox@sandbox.test>',
    }));

  it('to any other recipient is refused and does not count against the daily limit', async () => {
    const { keyHash, sender } = fixture.sender(verified);
    expect(await refusalOf(send(keyHash, { cc: ['eve@x.test'], to: ['owner@x.test'] }))).toMatchObject({
      code: 'recipient_not_verified',
      message: expect.stringContaining('eve@x.test is not a verified sandbox recipient'),
    });
    expect(await fixture.usedToday(sender.serviceId)).toBe(0);
  });

  it('to the simulator is sent and does not count against the daily limit', async () => {
    const { keyHash, sender } = fixture.sender(verified);
    const { email } = await send(keyHash, { to: ['delivered@simulator.test'] });
    expect((await fixture.events(email.id))[0]!.data).toMatchObject({ counts: false });
    expect(await fixture.usedToday(sender.serviceId)).toBe(0);
  });
});

describe('a relay', () => {
  it('that rejects every recipient makes the message failed, with the response of the relay', async () => {
    fixture.smtp.answer({ stage: 'rcpt', code: 550, text: '5.1.1 no such user here' });
    expect((await send(fixture.sender().keyHash)).email).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('5.1.1 no such user here'),
    });
  });

  it('that rejects one of two recipients makes the message sent, and the outcome of each is recorded', async () => {
    fixture.smtp.answer({ stage: 'rcpt', address: 'bob@x.test', code: 550, text: '5.1.1 unknown' });
    const { email } = await send(fixture.sender().keyHash, { to: ['ada@x.test', 'bob@x.test'] });
    expect(email).toMatchObject({ status: 'sent', message: expect.stringContaining('1 of 2') });
    expect((await fixture.events(email.id))[1]!.data).toMatchObject({
      outcomes: [
        { index: 0, address: 'ada@x.test', result: 'accepted', relay: 'upstream', relay_is_final: false },
        { index: 1, address: 'bob@x.test', result: 'refused', smtp_response: expect.stringContaining('5.1.1') },
      ],
    });
  });

  it.each(['rcpt', 'data', 'mail'] as const)(
    'that answers 4xx to every copy at %s fails the request: a retry is safe and no limit is consumed',
    async stage => {
      const { keyHash, sender } = fixture.sender();
      fixture.smtp.answer({ stage, code: 451, text: '4.3.0 later', times: 1 });
      expect(await refusalOf(send(keyHash, {}, 'give-back'))).toMatchObject({
        code: 'relay_unavailable',
        details: { retry_after_s: expect.any(Number) },
      });
      expect(await fixture.usedToday(sender.serviceId)).toBe(0);
      expect(await send(keyHash, {}, 'give-back')).toMatchObject({ replayed: false, email: { status: 'sent' } });
    },
  );

  it('that cannot be reached fails the request in the same way', async () => {
    const { keyHash, sender } = fixture.sender();
    const cutOff = await fixture.process(await freePort());
    expect(await refusalOf(cutOff.sendEmail.execute(request(keyHash)))).toMatchObject({ code: 'relay_unavailable' });
    expect(await fixture.usedToday(sender.serviceId)).toBe(0);
  });

  it('that closes the connection after the final dot leaves an unknown outcome, which is never sent again', async () => {
    fixture.smtp.answer({ stage: 'data', address: 'lost@x.test', cut: 'after', times: 1 });
    const { keyHash } = fixture.sender();
    const first = await send(keyHash, { to: ['lost@x.test'] }, 'lost');
    expect(first.email).toMatchObject({ status: 'failed', message: expect.stringContaining('outcome unknown') });
    expect((await fixture.events(first.email.id))[1]!.data).toMatchObject({ outcomes: [{ result: 'unknown' }] });
    expect(await send(keyHash, { to: ['lost@x.test'] }, 'lost')).toMatchObject({ replayed: true, email: first.email });
    expect(fixture.smtp.messages).toHaveLength(0);
  });
});

describe('an address with a non-ASCII local part', () => {
  it('is refused with the name of the field if no relay accepts it', async () => {
    const plain = await startSmtpSink({ smtpUtf8: false });
    try {
      const { sendEmail } = await fixture.process(plain.port);
      const { keyHash } = fixture.sender();
      expect(
        await refusalOf(sendEmail.execute(request(keyHash, { to: ['ok@x.test', 'jürgen@x.test'] }))),
      ).toMatchObject({
        code: 'invalid_email',
        message: expect.stringMatching(/^to\[1\]: /),
      });
    } finally {
      await plain.stop();
    }
  });

  it('is sent if a relay accepts it, even as the first message over a new connection', async () => {
    const { sendEmail } = await fixture.process();
    await sendEmail.execute(request(fixture.sender().keyHash, { to: ['jürgen@x.test'] }));
    expect((await copyFor('jürgen@x.test')).smtpUtf8).toBe(true);
  });
});

describe('the suppression switch', () => {
  it('fails the suppressed recipient without a hand-over, and sends to the others', async () => {
    const { keyHash, sender } = fixture.sender({ suppression: true });
    await process.suppressions.apply([
      { serviceId: sender.serviceId, address: 'gone@x.test', isSuppressed: true, at: new Date() },
    ]);
    const { email } = await send(keyHash, { to: ['ada@x.test', 'Gone@x.test'] });
    expect(email.status).toBe('sent');
    expect((await fixture.events(email.id))[1]!.data).toMatchObject({
      outcomes: [
        { result: 'accepted' },
        { result: 'suppressed', smtp_response: expect.stringContaining('suppressed') },
      ],
    });
    expect(fixture.smtp.messages.map(({ to }) => to[0]!.address)).toEqual(['ada@x.test']);
  });

  it('sends to an address whose suppression was lifted, even after an older event arrives late', async () => {
    const { keyHash, sender } = fixture.sender({ suppression: true });
    const word = { serviceId: sender.serviceId, address: 'back@x.test' };
    await process.suppressions.apply([{ ...word, isSuppressed: false, at: new Date(2_000) }]);
    await process.suppressions.apply([{ ...word, isSuppressed: true, at: new Date(1_000) }]);
    expect((await send(keyHash, { to: ['back@x.test'] })).email.status).toBe('sent');
  });
});

describe('a key', () => {
  it('that is unknown is refused', async () =>
    expect(await refusalOf(send('0'.repeat(64)))).toMatchObject({ code: 'api_key_invalid' }));
  it('of a disabled service is refused', async () =>
    expect(await refusalOf(send(fixture.sender({ enabled: false }).keyHash))).toMatchObject({
      code: 'service_disabled',
    }));
});

function send(...args: Parameters<typeof request>) {
  return process.sendEmail.execute(request(...args));
}

function copyFor(address: string) {
  return fixture.smtp.nextMessage(({ to }) => to.some(recipient => recipient.address === address));
}
