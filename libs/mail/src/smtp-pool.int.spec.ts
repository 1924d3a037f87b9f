import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { SmtpPool } from './smtp-pool.js';
import type { HandOver, RelayConfig } from './smtp-session.js';

const mail: HandOver = {
  from: 'b+token@bounce.example.com',
  recipients: [{ address: 'ada@example.org' }],
  bytes: Buffer.from('From: a@example.com\r\n\r\n.dot\r\nhello\r\n'),
};
const threeRecipients = ['ada@example.org', 'bob@example.org', 'eve@example.org'].map(address => ({ address }));

describe('a hand-over', () => {
  it('is accepted with the relay’s own words, the bytes unchanged', async () => {
    const { pool, relay } = await start({ '.': '250 2.0.0 queued as 42' });
    expect(await pool.handOver(mail)).toEqual({
      kind: 'accepted',
      reply: { code: 250, enhanced: '2.0.0', response: '250 2.0.0 queued as 42' },
      accepted: ['ada@example.org'],
      refused: [],
    });
    expect(relay.messages).toEqual([mail.bytes.toString()]);
  });

  it('is accepted for some, with the answer for each of the others', async () => {
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
  ])('is %s, and the next one goes through', async (_, script, expected) => {
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

  it('is unreachable when the connection is cut while much data is still to come', async () => {
    const { pool } = await start({ BODY: CUT() });
    const bytes = Buffer.alloc(32 * 1024 * 1024, 'x'.repeat(70) + '\r\n');
    expect(await pool.handOver({ ...mail, bytes })).toMatchObject({ kind: 'unreachable' });
  });

  it('is unknown when the connection is cut between the end of the data and the answer', async () => {
    const { pool, relay } = await start({ '.': CUT(), 'RCPT:bob': '550 no' });
    expect(await pool.handOver({ ...mail, recipients: threeRecipients })).toMatchObject({
      kind: 'unknown',
      refused: [{ address: 'bob@example.org', code: 550 }],
    });
    expect(relay.messages).toHaveLength(1);
  });

  it('is unknown when the relay falls silent after the data, and unreachable when it does before', async () => {
    const after = await start({ '.': HANG() }, { silenceTimeoutMs: 50 });
    expect(await after.pool.handOver(mail)).toMatchObject({ kind: 'unknown' });
    const before = await start({ DATA: HANG() }, { silenceTimeoutMs: 50 });
    expect(await before.pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
  });

  it('is unreachable where nobody listens', async () => {
    const { pool, relay } = await start({});
    await relay.stop();
    expect(await pool.handOver(mail)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('is unreachable where the relay greets with a refusal or denies our credentials', async () => {
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

  it('never falls back to plain text where STARTTLS is asked for', async () => {
    const { pool, relay } = await start({}, { security: 'starttls' });
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
    expect(relay.commands.some(command => command.startsWith('MAIL'))).toBe(false);
  });

  it('is refused unsent when it is larger than the relay takes', async () => {
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

describe('what a relay offers', () => {
  const dsn = { notify: ['SUCCESS', 'FAILURE', 'DELAY'], ret: 'HDRS', envid: 'id+1' } as const;

  it('decides whether notifications are asked for', async () => {
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

  it('decides whether an address outside ASCII can be used', async () => {
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

  it('is found by a probe, which sends no message', async () => {
    const { pool, relay } = await start({ EHLO: '250-relay\r\n250-DSN\r\n250 SMTPUTF8' });
    expect(await pool.probe()).toEqual({ ok: true, dsnOffered: true, smtpUtf8Offered: true });
    expect(await pool.probe()).toEqual({ ok: true, dsnOffered: true, smtpUtf8Offered: true });
    expect(relay.connections).toBe(1);
    await relay.stop();
    expect(await pool.probe()).toMatchObject({ ok: false });
  });
});

describe('a pool', () => {
  it('uses a connection again', async () => {
    const { pool, relay } = await start({});
    for (let round = 0; round < 5; round++) await pool.handOver(mail);
    expect([relay.connections, relay.messages.length]).toEqual([1, 5]);
  });

  it.each<[string, Script]>([
    ['cuts it at MAIL', { MAIL: CUT() }],
    ['answers 421 at MAIL', { MAIL: '421 4.4.2 idle too long' }],
  ])('makes up for a connection that went stale, when the relay %s', async (_, script) => {
    const { pool, relay } = await start({});
    await pool.handOver(mail);
    relay.onceScript = script;
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect([relay.connections, relay.messages.length]).toEqual([2, 2]);
  });

  it('never sends again what the relay may have taken over a connection used before', async () => {
    const { pool, relay } = await start({});
    await pool.handOver(mail);
    relay.onceScript = { '.': CUT() };
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unknown' });
    expect([relay.connections, relay.messages.length]).toEqual([1, 2]);
  });

  it('forgets a connection that the relay closed while it was idle', async () => {
    const { pool, relay } = await start({});
    await pool.handOver(mail);
    relay.hangUp();
    await gone(pool);
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(relay.connections).toBe(2);
  });

  it('opens no more connections than it may, and serves the others in turn', async () => {
    const { pool, relay } = await start({}, { maxConnections: 2 });
    const results = await Promise.all(Array.from({ length: 20 }, () => pool.handOver(mail)));
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(relay.connections).toBe(2);
  });

  it('tells those who waited too long that nothing was sent', async () => {
    const { pool, relay } = await start(
      { '.': HANG() },
      { maxConnections: 1, queueTimeoutMs: 30, silenceTimeoutMs: 300 },
    );
    const [first, second] = await Promise.all([pool.handOver(mail), pool.handOver(mail)]);
    expect(first).toMatchObject({ kind: 'unknown' });
    expect(second).toMatchObject({ kind: 'unreachable', reason: 'no connection free in 30 ms' });
    expect(relay.messages).toHaveLength(1);
  });

  it('drains when it is closed, takes leave, and takes nothing more', async () => {
    const { pool, relay } = await start({});
    const underWay = pool.handOver(mail);
    await pool.close();
    expect(await underWay).toMatchObject({ kind: 'accepted' });
    expect(relay.commands.at(-1)).toBe('QUIT');
    expect(await pool.handOver(mail)).toEqual({ kind: 'unreachable', reason: 'the pool is closed' });
  });

  it.each(['tls', 'starttls', 'none'] as const)(
    'speaks with a server not written for this test (%s)',
    async security => {
      const { port, received } = await startServer(security === 'tls');
      const pool = poolFor(port, { security, tls: { rejectUnauthorized: false }, auth: { user: 'u', pass: 'p' } });
      cleanUps.push(() => pool.close());
      expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
      expect(received).toEqual([mail.bytes.toString()]);
      expect(pool.offers).toEqual({ dsnOffered: true, smtpUtf8Offered: true });
    },
  );

  it.each(['tls', 'starttls'] as const)(
    'hands nothing to a server whose certificate does not hold (%s)',
    async security => {
      const { port, received } = await startServer(security === 'tls');
      const pool = poolFor(port, { security });
      cleanUps.push(() => pool.close());
      expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
      expect(received).toEqual([]);
    },
  );
});

/** smtp-server with its built-in self-signed certificate. */
async function startServer(secure: boolean): Promise<{ port: number; received: string[] }> {
  const received: string[] = [];
  // It warns of its certificate, which is the very one wanted here.
  const warning = jest.spyOn(console, 'error').mockImplementation(() => {});
  const server = new SMTPServer({
    secure,
    hideDSN: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'u' }),
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push(Buffer.concat(chunks).toString());
        done();
      });
    },
  });
  warning.mockRestore();
  server.on('error', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()));
  cleanUps.push(() => new Promise<void>(resolve => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, received };
}

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Answers by command, or by command and local part; `.` is the end of the data, BODY its first bytes. */
type Script = Record<string, string>;

function CUT(): string {
  return 'cut';
}
function HANG(): string {
  return 'hang';
}

/** A relay that answers by script, one line at a time. */
class ScriptedRelay {
  readonly commands: string[] = [];
  readonly messages: string[] = [];
  readonly #sockets = new Set<Socket>();
  connections = 0;
  /** Used up by the first answer it gives. */
  onceScript: Script = {};

  constructor(
    readonly server: Server,
    public script: Script,
    readonly pipelining: boolean,
  ) {
    server.on('connection', socket => this.#serve(socket));
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.hangUp();
    await closed;
  }

  #serve(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    let buffered = '';
    let inData = false;
    let hasSender = false;
    let recipients = 0;
    const answer = (key: string, fallback: string, detail = ''): boolean => {
      const reply = this.onceScript[key] ?? this.script[`${key}:${detail}`] ?? this.script[key] ?? fallback;
      if (this.onceScript[key]) this.onceScript = {};
      if (reply === 'cut') socket.destroy();
      else if (reply !== 'hang') socket.write(`${reply}\r\n`);
      return reply.startsWith('2') || reply.startsWith('3');
    };
    answer('GREETING', '220 relay');
    socket.on('data', chunk => {
      buffered += chunk.toString();
      if (inData && this.script['BODY'] === 'cut') socket.destroy();
      while (!socket.destroyed) {
        if (inData) {
          const end = `\r\n${buffered}`.indexOf('\r\n.\r\n');
          if (end < 0) return;
          this.messages.push(buffered.slice(0, end).replace(/^\./gm, ''));
          buffered = buffered.slice(end + 3);
          inData = false;
          recipients = 0;
          answer('.', '250 ok');
          continue;
        }
        const end = buffered.indexOf('\r\n');
        if (end < 0) return;
        const command = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        this.commands.push(command);
        const verb = command.slice(0, 4).toUpperCase();
        if (verb === 'EHLO')
          answer('EHLO', `250-relay\r\n${this.pipelining ? '250-PIPELINING\r\n' : ''}250 AUTH PLAIN`);
        else if (verb === 'MAIL') hasSender = answer('MAIL', '250 ok');
        else if (verb === 'RCPT') {
          recipients += Number(answer('RCPT', hasSender ? '250 ok' : '503 no MAIL', /<([^@]*)/.exec(command)?.[1]));
        } else if (verb === 'DATA' && recipients === 0 && !this.script['DATA']) socket.write('503 no recipients\r\n');
        else if (verb === 'DATA') inData = answer('DATA', '354 go on');
        else if (verb === 'STAR') answer('STARTTLS', '502 not here');
        else if (verb === 'QUIT') socket.end('221 bye\r\n');
        else {
          if (verb === 'RSET') recipients = 0;
          answer(verb, '250 ok');
        }
      }
    });
  }
}

async function start(
  script: Script,
  options: Partial<RelayConfig> & { pipelining?: boolean } = {},
): Promise<{ pool: SmtpPool; relay: ScriptedRelay }> {
  // Without noDelay the replies to a pipelined envelope wait 40 ms for our delayed acknowledgement.
  const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { pipelining = true, ...config } = options;
  const relay = new ScriptedRelay(server, script, pipelining);
  const pool = poolFor((server.address() as AddressInfo).port, config);
  cleanUps.push(
    () => relay.stop(),
    () => pool.close(),
  );
  return { pool, relay };
}

function poolFor(port: number, config: Partial<RelayConfig> = {}): SmtpPool {
  return new SmtpPool({
    host: '127.0.0.1',
    port,
    security: 'none',
    name: 'mail.example.com',
    maxConnections: 4,
    connectTimeoutMs: 2_000,
    silenceTimeoutMs: 2_000,
    queueTimeoutMs: 2_000,
    ...config,
  });
}

/** Resolves once the pool has noticed that its idle connections are gone. */
async function gone(pool: SmtpPool): Promise<void> {
  while (pool.load.idle > 0) await new Promise(resolve => setImmediate(resolve));
}
