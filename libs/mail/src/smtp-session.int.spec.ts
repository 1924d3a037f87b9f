import { afterEach, describe, expect, it } from '@jest/globals';
import { CUT, cleanUp, HANG, mail, type Script, start } from './testing/scripted-relay.js';

const threeRecipients = ['ada@example.org', 'bob@example.org', 'eve@example.org'].map(address => ({ address }));

afterEach(cleanUp);

describe('a hand-over', () => {
  it('is accepted with the response of the relay and unchanged bytes', async () => {
    const { pool, relay } = await start({ '.': '250 2.0.0 queued as 42' });
    expect(await pool.handOver(mail)).toEqual({
      kind: 'accepted',
      reply: { code: 250, enhanced: '2.0.0', response: '250 2.0.0 queued as 42' },
      accepted: ['ada@example.org'],
      refused: [],
    });
    expect(relay.messages).toEqual([mail.bytes.toString()]);
  });

  it('is accepted for some recipients, with the reply for each of the others', async () => {
    const { pool } = await start({
      'RCPT:bob': '550 5.1.1 no such user',
      'RCPT:eve': '452-4.2.2 mailbox\r\n452 4.2.2 full',
    });
    expect(await pool.handOver({ ...mail, recipients: threeRecipients })).toMatchObject({
      kind: 'accepted',
      accepted: ['ada@example.org'],
      refused: [
        { address: 'bob@example.org', code: 550, enhanced: '5.1.1', response: '550 5.1.1 no such user' },
        { address: 'eve@example.org', code: 452, enhanced: '4.2.2', response: '452 4.2.2 mailbox full' },
      ],
    });
  });

  it.each<[string, Script, object]>([
    [
      'refused at MAIL',
      { MAIL: '550 5.7.1 go away' },
      { kind: 'refused', reply: { code: 550, enhanced: '5.7.1' }, refused: [] },
    ],
    [
      'refused at MAIL by a relay that takes the data all the same',
      { MAIL: '550 no', RCPT: '250 ok', DATA: '354 go on' },
      { kind: 'refused', reply: { code: 550 } },
    ],
    ['deferred at MAIL', { MAIL: '451 4.3.0 later' }, { kind: 'deferred', reply: { code: 451, enhanced: '4.3.0' } }],
    [
      'refused for everyone at RCPT',
      { RCPT: '550 no' },
      { kind: 'refused', refused: [{ code: 550 }, { code: 550 }, { code: 550 }] },
    ],
    [
      'deferred when one of all the refusals is for now',
      { RCPT: '550 no', 'RCPT:bob': '450 later' },
      { kind: 'deferred', reply: { code: 450 } },
    ],
    ['refused at DATA', { DATA: '554 5.5.1 no' }, { kind: 'refused', reply: { code: 554 } }],
    [
      'deferred at DATA, with the refused recipients',
      { DATA: '451 x', 'RCPT:bob': '550 no' },
      { kind: 'deferred', refused: [{ address: 'bob@example.org' }] },
    ],
    ['refused after the data', { '.': '554 5.6.0 spam' }, { kind: 'refused', reply: { code: 554, enhanced: '5.6.0' } }],
    ['deferred after the data', { '.': '421 4.3.2 shutting down' }, { kind: 'deferred', reply: { code: 421 } }],
    [
      'deferred when the dialogue is out of step',
      { MAIL: '503 bad sequence' },
      { kind: 'deferred', reply: { code: 503 } },
    ],
  ])('is %s, and the next one is sent', async (_, script, expected) => {
    for (const pipelining of [true, false]) {
      const { pool, relay } = await start(script, { pipelining });
      expect(await pool.handOver({ ...mail, recipients: threeRecipients })).toMatchObject(expected);
      relay.script = {};
      expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
      expect(relay.messages.at(-1)).toBe(mail.bytes.toString());
    }
  });

  it.each<[string, Script]>([
    ['on connecting', { GREETING: CUT() }],
    ['at EHLO', { EHLO: CUT() }],
    ['at MAIL', { MAIL: CUT() }],
    ['at RCPT', { RCPT: CUT() }],
    ['at DATA', { DATA: CUT() }],
  ])('is unreachable when the connection is cut %s', async (_, script) => {
    for (const pipelining of [true, false]) {
      const { pool, relay } = await start(script, { pipelining });
      expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
      expect(relay.messages).toEqual([]);
    }
  });

  it('is unreachable when the connection is lost while much data is unsent', async () => {
    const { pool } = await start({ BODY: CUT() });
    const bytes = Buffer.alloc(32 * 1024 * 1024, 'x'.repeat(70) + '\r\n');
    expect(await pool.handOver({ ...mail, bytes })).toMatchObject({ kind: 'unreachable' });
  });

  it('is unknown when the connection is lost between the end of the data and the answer', async () => {
    const { pool, relay } = await start({ '.': CUT(), 'RCPT:bob': '550 no' });
    expect(await pool.handOver({ ...mail, recipients: threeRecipients })).toMatchObject({
      kind: 'unknown',
      refused: [{ address: 'bob@example.org', code: 550 }],
    });
    expect(relay.messages).toHaveLength(1);
  });

  it('is unknown when the relay stops responding after the data, and unreachable when it stops before', async () => {
    const after = await start({ '.': HANG() }, { silenceTimeoutMs: 50, answerTimeoutMs: 50 });
    expect(await after.pool.handOver(mail)).toMatchObject({ kind: 'unknown' });
    const before = await start({ DATA: HANG() }, { silenceTimeoutMs: 50 });
    expect(await before.pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
  });

  it('is unreachable if nothing listens on the port', async () => {
    const { pool, relay } = await start({});
    await relay.stop();
    expect(await pool.handOver(mail)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('is unreachable if the relay rejects the connection in its greeting or rejects the credentials', async () => {
    const greeted = await start({ GREETING: '554 no service' });
    expect(await greeted.pool.handOver(mail)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('554'),
    });
    const denied = await start({ AUTH: '535 5.7.8 wrong' }, { auth: { user: 'u', pass: 'p' } });
    expect(await denied.pool.handOver(mail)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('535'),
    });
  });

  it('never falls back to plain text if STARTTLS is required', async () => {
    const { pool, relay } = await start({}, { security: 'starttls' });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
    expect(relay.commands.some(command => command.startsWith('MAIL'))).toBe(false);
  });

  it('is refused unsent if it exceeds the size limit of the relay', async () => {
    const { pool } = await start({ EHLO: '250-relay\r\n250 SIZE 10' });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'refused', reply: { code: 552, enhanced: '5.3.4' } });
  });

  it('is refused unsent when an address could add SMTP commands', async () => {
    const { pool, relay } = await start({});
    const recipients = [{ address: 'a@example.org>\r\nRCPT TO:<eve@example.org' }];
    expect(await pool.handOver({ ...mail, recipients })).toMatchObject({ kind: 'refused', reply: { code: 553 } });
    expect(relay.commands.filter(command => command.startsWith('RCPT'))).toEqual([]);
  });
});

describe('the extensions of a relay', () => {
  const dsn = { notify: ['SUCCESS', 'FAILURE', 'DELAY'], ret: 'HDRS', envid: 'id+1' } as const;

  it('determine whether notifications are requested', async () => {
    const recipients = [{ address: 'ada@example.org', orcpt: 'ada+x@example.org' }];
    const offered = await start({ EHLO: '250-relay\r\n250 DSN' });
    await offered.pool.handOver({ ...mail, recipients, dsn });
    expect(offered.relay.commands).toContain('MAIL FROM:<b+token@bounce.example.com> RET=HDRS ENVID=id+2B1');
    expect(offered.relay.commands).toContain(
      'RCPT TO:<ada@example.org> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;ada+2Bx@example.org',
    );
    const silent = await start({ EHLO: '250 relay' });
    await silent.pool.handOver({ ...mail, recipients, dsn });
    expect(silent.relay.commands).toContain('RCPT TO:<ada@example.org>');
    expect([offered.pool.offers?.dsnOffered, silent.pool.offers?.dsnOffered]).toEqual([true, false]);
  });

  it('determine whether a non-ASCII address can be used', async () => {
    const recipients = [{ address: 'ада@example.org' }];
    const offered = await start({ EHLO: '250-relay\r\n250 SMTPUTF8' });
    expect(await offered.pool.handOver({ ...mail, recipients })).toMatchObject({ kind: 'accepted' });
    expect(offered.relay.commands).toContain('MAIL FROM:<b+token@bounce.example.com> SMTPUTF8');
    const silent = await start({ EHLO: '250 relay' });
    expect(await silent.pool.handOver({ ...mail, recipients })).toMatchObject({
      kind: 'refused',
      reply: { enhanced: '5.6.7' },
      refused: [{ address: 'ада@example.org' }],
    });
  });

  it('are found by a probe, which sends no message', async () => {
    const { pool, relay } = await start({ EHLO: '250-relay\r\n250-DSN\r\n250 SMTPUTF8' });
    expect(await pool.probe()).toEqual({ ok: true, dsnOffered: true, smtpUtf8Offered: true });
    expect(await pool.probe()).toEqual({ ok: true, dsnOffered: true, smtpUtf8Offered: true });
    expect(relay.connections).toBe(1);
    await relay.stop();
    expect(await pool.probe()).toMatchObject({ ok: false });
  });
});
