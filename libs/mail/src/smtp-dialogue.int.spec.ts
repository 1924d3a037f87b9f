import { afterEach, describe, expect, it } from '@jest/globals';
import { CUT, cleanUp, DRIP, type Manner, mail, type Script, start } from './testing/scripted-relay.js';

const threeRecipients = ['ada@example.org', 'bob@example.org', 'eve@example.org'].map(address => ({ address }));

afterEach(cleanUp);

describe('a dialogue with a relay', () => {
  const verbose: Script = {
    GREETING: '220-relay\r\n220 at your service',
    MAIL: '250-2.1.0 sender\r\n250 2.1.0 ok',
    RCPT: '250-2.1.5 recipient\r\n250-2.1.5 is known\r\n250 2.1.5 ok',
    'RCPT:bob': '550-5.1.1 nö\r\n550 5.1.1 such user',
    DATA: '354-go\r\n354 on',
    '.': '250-2.0.0 queued\r\n250 2.0.0 as 42',
  };

  it.each<[Manner, boolean]>([
    ['each', true],
    ['together', true],
    ['byte by byte', true],
    ['each', false],
    ['byte by byte', false],
  ])('reads multi-line replies that arrive %s (pipelining: %s)', async (manner, pipelining) => {
    const { pool, relay } = await start(verbose, { manner, pipelining });
    for (let round = 1; round <= 2; round++) {
      expect(await pool.handOver({ ...mail, recipients: threeRecipients })).toEqual({
        kind: 'accepted',
        reply: { code: 250, enhanced: '2.0.0', response: '250 2.0.0 queued as 42' },
        accepted: ['ada@example.org', 'eve@example.org'],
        refused: [{ address: 'bob@example.org', code: 550, enhanced: '5.1.1', response: '550 5.1.1 nö such user' }],
      });
    }
    expect([relay.connections, relay.messages]).toEqual([1, [mail.bytes.toString(), mail.bytes.toString()]]);
  });

  it('sends the whole envelope at once only if pipelining is offered', async () => {
    const offered = await start({});
    await offered.pool.handOver({ ...mail, recipients: threeRecipients });
    expect(offered.relay.mostAtOnce).toBe(5);
    const silent = await start({}, { pipelining: false });
    await silent.pool.handOver({ ...mail, recipients: threeRecipients });
    expect(silent.relay.mostAtOnce).toBe(1);
    const greetedByHelo = await start({ EHLO: '502 what?' });
    expect(await greetedByHelo.pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(greetedByHelo.relay.mostAtOnce).toBe(1);
  });

  it('sends empty data if the relay accepts DATA without a recipient, and continues (RFC 2920 §3.1)', async () => {
    const { pool, relay } = await start({ RCPT: '550 5.1.1 no', DATA: '354 go on' });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'refused', refused: [{ code: 550, enhanced: '5.1.1' }] });
    expect(relay.messages).toEqual(['']);
    relay.script = {};
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect([relay.connections, relay.messages[1]]).toEqual([1, mail.bytes.toString()]);
  });

  it('does not hand over to rejected recipients while others are accepted', async () => {
    const { pool } = await start({ RCPT: '250 ok', 'RCPT:bob': '450 4.2.1 later', 'RCPT:eve': '550 5.1.1 no' });
    expect(await pool.handOver({ ...mail, recipients: threeRecipients })).toMatchObject({
      kind: 'accepted',
      accepted: ['ada@example.org'],
      refused: [{ code: 450 }, { code: 550 }],
    });
  });

  it.each(['MAIL', 'RCPT', 'DATA'])('opens a new connection after a relay closes with 421 at %s', async command => {
    for (const pipelining of [true, false]) {
      const { pool, relay } = await start({}, { pipelining });
      await pool.handOver(mail);
      relay.onceScript = { [command]: '421 4.3.2 shutting down' };
      expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
      expect([relay.connections, relay.messages.length]).toEqual([2, 2]);
    }
  });

  it('does not take an early reply for the answer to the data', async () => {
    const { pool, relay } = await start({ DATA: '354 go on\r\n250 2.0.0 queued as 42' });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
    expect(relay.messages).toEqual([]);
  });

  it.each<[string, string]>([
    ['is cut off in the middle of its answer', CUT('250 2.0.0 que')],
    ['is cut off between the lines of its answer', CUT('250-2.0.0 queued\r\n')],
    ['sends an invalid reply', 'fine'],
    ['gives two codes in one reply', '250-taken\r\n550 or not'],
    ['requests more', '354 go on'],
    ['never ends its answer', DRIP()],
    ['sends without end', `250-${'x'.repeat(70_000)}`],
  ])('is unknown when the relay %s after the data', async (_, reply) => {
    const { pool, relay } = await start({ '.': reply }, { silenceTimeoutMs: 200, answerTimeoutMs: 200 });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unknown' });
    relay.script = {};
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect([relay.connections, relay.messages.length]).toEqual([2, 2]);
  });

  it.each<[string, Script]>([
    ['sends an invalid reply to MAIL', { MAIL: 'fine' }],
    ['answers RCPT with a code of no meaning', { RCPT: '354 go on' }],
    ['answers DATA with success', { DATA: '250 ok' }],
    ['never ends its answer to DATA', { DATA: DRIP() }],
    ['drops the connection in the middle of its answer to DATA', { DATA: CUT('354 go') }],
    ['greets in a language of its own', { GREETING: 'SSH-2.0-OpenSSH_9.2' }],
    ['greets without end', { GREETING: `220-${'x'.repeat(70_000)}` }],
    ['sends more than one reply to EHLO', { EHLO: '250 relay\r\n250 ok' }],
  ])('is unreachable, and nothing is handed over, when the relay %s', async (_, script) => {
    const { pool, relay } = await start(script, { silenceTimeoutMs: 200, answerTimeoutMs: 200 });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
    expect(relay.messages).toEqual([]);
  });

  it('handles a rejection in the middle of the data, and does not reuse the connection', async () => {
    const { pool, relay } = await start({ BODY: '552 5.3.4 that is enough' });
    const bytes = Buffer.alloc(32 * 1024 * 1024, `${'x'.repeat(70)}\r\n`);
    expect(await pool.handOver({ ...mail, bytes })).toMatchObject({
      kind: 'refused',
      reply: { code: 552, enhanced: '5.3.4' },
    });
    relay.script = {};
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(relay.connections).toBe(2);
  });

  it('discards a connection with an unsolicited reply', async () => {
    const { pool, relay } = await start({ '.': '250 2.0.0 ok\r\n421 4.3.2 good night' });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(relay.connections).toBe(2);
  });
});

describe('the exchange before the first message', () => {
  it('is not trusted if it was received in plain text after STARTTLS', async () => {
    const { pool, relay } = await start(
      { EHLO: '250-relay\r\n250 STARTTLS', STARTTLS: '220 go on\r\n250-injected\r\n250 SIZE 1' },
      { security: 'starttls' },
    );
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
    expect(relay.commands).toEqual(['EHLO mail.example.com', 'STARTTLS']);
  });

  it('is the user and the password by LOGIN if PLAIN is not offered', async () => {
    const script = { EHLO: '250-relay\r\n250 AUTH=LOGIN', AUTH: '334 VXNlcg', 'DQ==': '334 UGFzcw', 'CA==': '235 in' };
    const { pool, relay } = await start(script, { auth: { user: 'u', pass: 'p' } });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(relay.commands.slice(1, 4)).toEqual(['AUTH LOGIN', 'dQ==', 'cA==']);
  });

  it('is a digest by CRAM-MD5 if only that is offered (the example of RFC 2195)', async () => {
    const challenge = Buffer.from('<1896.697170952@postoffice.reston.mci.net>').toString('base64');
    const script = { EHLO: '250-relay\r\n250 AUTH CRAM-MD5', AUTH: `334 ${challenge}`, DGLT: '235 in' };
    const { pool, relay } = await start(script, { auth: { user: 'tim', pass: 'tanstaaftanstaaf' } });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    const digest = Buffer.from('tim b913a602c7eda7a495b4e6e7334d3890').toString('base64');
    expect(relay.commands[2]).toBe(digest);
  });

  it('gives every recipient its own original recipient', async () => {
    const { pool, relay } = await start({ EHLO: '250-relay\r\n250 DSN' });
    const recipients = threeRecipients.map(({ address }) => ({ address, orcpt: address }));
    await pool.handOver({ ...mail, recipients, dsn: { notify: ['FAILURE'], ret: 'FULL', envid: 'x' } });
    expect(relay.commands.filter(command => command.startsWith('RCPT'))).toEqual(
      threeRecipients.map(({ address }) => `RCPT TO:<${address}> NOTIFY=FAILURE ORCPT=rfc822;${address}`),
    );
  });
});
