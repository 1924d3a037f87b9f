import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, PostfixServer, startSmtpSink, type TestSmtp } from '@postern/testing';
import { composeMessage, messageBytes } from './compose.js';
import { parseMailbox } from './mailbox.js';
import type { RelayConfig } from './relay-config.js';
import { SmtpPool } from './smtp-pool.js';
import { type RealServer, startServer } from './testing/real-server.js';

const addresses = ['用户@customer.test', 'jörg+a=b@customer.test', 'a+b=c@customer.test'];

let mailboxes: TestSmtp;
let postfix: PostfixServer;
let smtpServer: RealServer;
let pools: { postfix: SmtpPool; 'smtp-server': SmtpPool };

beforeAll(async () => {
  const port = await freePort();
  mailboxes = await startSmtpSink({ dsn: false });
  postfix = await PostfixServer.start({ port, nextHopPort: mailboxes.port });
  smtpServer = await startServer(false);
  pools = { postfix: poolOf(port), 'smtp-server': poolOf(smtpServer.port, { user: 'u', pass: 'p' }) };
}, 60_000);

afterAll(async () => {
  for (const pool of Object.values(pools ?? {})) await pool.close();
  await smtpServer?.stop();
  await postfix?.stop();
  await mailboxes?.stop();
});

describe('an address in another script', () => {
  it.each(addresses)('%s is accepted and delivered by a real Postfix', async address => {
    expect(await send('postfix', address)).toMatchObject({ kind: 'accepted', accepted: [address] });
    await mailboxes.nextMessage(({ to }) => to.some(recipient => recipient.address === address));
  });

  it.each(addresses)('%s is accepted by smtp-server', async address => {
    expect(await send('smtp-server', address)).toMatchObject({ kind: 'accepted', accepted: [address] });
  });
});

const poolOf = (port: number, auth?: RelayConfig['auth']): SmtpPool =>
  new SmtpPool({
    host: '127.0.0.1',
    port,
    security: 'none',
    name: 'mail.example.com',
    maxConnections: 1,
    connectTimeoutMs: 10_000,
    silenceTimeoutMs: 10_000,
    answerTimeoutMs: 10_000,
    queueTimeoutMs: 10_000,
    ...(auth ? { auth } : {}),
  });

function send(relay: keyof typeof pools, address: string): ReturnType<SmtpPool['handOver']> {
  const message = composeMessage({
    from: parseMailbox('ada@example.com'),
    to: [parseMailbox(address)],
    subject: 'Hello',
    text: 'Hello',
    messageId: 'x@example.com',
    date: new Date(),
  });
  return pools[relay].handOver({
    from: 'b+token@bounces.example.com',
    recipients: [{ address, orcpt: address }],
    bytes: messageBytes(message),
    dsn: { notify: ['SUCCESS', 'FAILURE', 'DELAY'], ret: 'HDRS', envid: 'x' },
    smtpUtf8: message.needsSmtpUtf8,
  });
}
