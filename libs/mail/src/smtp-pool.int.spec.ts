import { afterEach, describe, expect, it } from '@jest/globals';
import { HandOverWindow, TOO_LATE } from './hand-over.js';
import type { SmtpPool } from './smtp-pool.js';
import { startServer } from './testing/real-server.js';
import { afterwards, CUT, cleanUp, HANG, mail, poolFor, type Script, start } from './testing/scripted-relay.js';

afterEach(cleanUp);

describe('a pool', () => {
  it('reuses a connection', async () => {
    const { pool, relay } = await start({});
    for (let round = 0; round < 5; round++) await pool.handOver(mail);
    expect([relay.connections, relay.messages.length]).toEqual([1, 5]);
  });

  it.each<[string, Script]>([
    ['cuts it at MAIL', { MAIL: CUT() }],
    ['answers 421 at MAIL', { MAIL: '421 4.4.2 idle too long' }],
  ])('replaces a stale connection if the relay %s', async (_, script) => {
    const { pool, relay } = await start({});
    await pool.handOver(mail);
    relay.onceScript = script;
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect([relay.connections, relay.messages.length]).toEqual([2, 2]);
  });

  it('never resends a message that the relay may have accepted over a reused connection', async () => {
    const { pool, relay } = await start({});
    await pool.handOver(mail);
    relay.onceScript = { '.': CUT() };
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'unknown' });
    expect([relay.connections, relay.messages.length]).toEqual([1, 2]);
  });

  it('discards a connection that the relay closed while it was idle', async () => {
    const { pool, relay } = await start({});
    await pool.handOver(mail);
    relay.hangUp();
    await untilIdleClosed(pool);
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(relay.connections).toBe(2);
  });

  it('does not exceed its connection limit while it resets connections after rejections', async () => {
    const { pool, relay } = await start({ RCPT: '550 no' }, { maxConnections: 2 });
    await Promise.all(Array.from({ length: 20 }, () => pool.handOver(mail)));
    expect(relay.connections).toBe(2);
  });

  it('does not exceed its connection limit, and serves waiting messages in order', async () => {
    const { pool, relay } = await start({}, { maxConnections: 2 });
    const results = await Promise.all(Array.from({ length: 20 }, () => pool.handOver(mail)));
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(relay.connections).toBe(2);
  });

  it('has connections for others while the relay hangs at every recipient of one owner', async () => {
    const { pool, relay } = await start({ 'RCPT:slow': HANG() }, { maxConnections: 10, queueTimeoutMs: 1_000 });
    const slow = { ...mail, owner: 'a', recipients: [{ address: 'slow@example.org' }] };
    const hanging = Array.from({ length: 50 }, () => pool.handOver(slow));
    const others = Array.from({ length: 5 }, () => pool.handOver({ ...mail, owner: 'b' }));
    expect((await Promise.all(others)).map(({ kind }) => kind)).toEqual(Array(5).fill('accepted'));
    expect([relay.connections, pool.load.busy]).toEqual([10, 9]);
    for (const { kind } of await Promise.all(hanging)) expect(kind).not.toBe('accepted');
  });

  it('starts no data once the window of a message has closed, and reports that nothing was sent', async () => {
    const { pool, relay } = await start({});
    const window = new HandOverWindow(performance.now() + 60_000);
    expect(await pool.handOver({ ...mail, window })).toMatchObject({ kind: 'accepted' });
    expect(window.close()).toBe(false);
    const closed = new HandOverWindow(performance.now() + 60_000);
    relay.onData = () => closed.close();
    expect(await pool.handOver({ ...mail, window: closed })).toEqual({ kind: 'unreachable', reason: TOO_LATE });
    expect(await pool.handOver({ ...mail, window: closed })).toEqual({ kind: 'unreachable', reason: TOO_LATE });
    expect(relay.messages).toHaveLength(1);
  });

  it('reports to callers that waited too long that nothing was sent', async () => {
    const { pool, relay } = await start(
      { '.': HANG() },
      { maxConnections: 1, queueTimeoutMs: 30, silenceTimeoutMs: 300, answerTimeoutMs: 300 },
    );
    const [first, second] = await Promise.all([pool.handOver(mail), pool.handOver(mail)]);
    expect(first).toMatchObject({ kind: 'unknown' });
    expect(second).toMatchObject({ kind: 'unreachable', reason: 'no connection free in 30 ms' });
    expect(relay.messages).toHaveLength(1);
  });

  it('lets others send while a relay considers a message, as long as few are considered', async () => {
    const { pool, relay } = await start(
      { '.': HANG() },
      { maxConnections: 1, queueTimeoutMs: 1_500, silenceTimeoutMs: 200, answerTimeoutMs: 2_500 },
    );
    const results = await Promise.all([pool.handOver(mail), pool.handOver(mail)]);
    expect(results).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
    expect(relay.messages).toHaveLength(2);
    expect(pool.load).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('when closed, drains, sends QUIT, and accepts no more messages', async () => {
    const { pool, relay } = await start({});
    const underWay = pool.handOver(mail);
    await pool.close();
    expect(await underWay).toMatchObject({ kind: 'accepted' });
    expect(relay.commands.at(-1)).toBe('QUIT');
    expect(await pool.handOver(mail)).toEqual({ kind: 'unreachable', reason: 'the pool is closed' });
  });

  it.each(['tls', 'starttls', 'none'] as const)('works with an independent SMTP server (%s)', async security => {
    const { port, received, stop } = await startServer(security === 'tls');
    const pool = poolFor(port, { security, tls: { rejectUnauthorized: false }, auth: { user: 'u', pass: 'p' } });
    afterwards(stop, () => pool.close());
    expect(await pool.handOver(mail)).toMatchObject({ kind: 'accepted' });
    expect(received).toEqual([mail.bytes.toString()]);
    expect(pool.offers).toEqual({ dsnOffered: true, smtpUtf8Offered: true });
  });

  it.each(['tls', 'starttls'] as const)(
    'sends nothing to a server with an invalid certificate (%s)',
    async security => {
      const { port, received, stop } = await startServer(security === 'tls');
      const pool = poolFor(port, { security });
      afterwards(stop, () => pool.close());
      expect(await pool.handOver(mail)).toMatchObject({ kind: 'unreachable' });
      expect(received).toEqual([]);
    },
  );
});

/** Resolves once the pool has detected that its idle connections are closed. */
async function untilIdleClosed(pool: SmtpPool): Promise<void> {
  while (pool.load.idle > 0) await new Promise(resolve => setImmediate(resolve));
}
