import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '@nats-io/transport-node';
import { freePort, startNats, type TestNats, waitFor } from '@postern/testing';
import { type CertificateFiles, ensureCertificates } from './certificate-folder.js';
import { connectNats, type NatsLink, type NatsOptions } from './connection.js';
import type { Log } from './log.js';

const PASSWORD = 'the-password-of-the-service';
const USER = { user: 'service', password: PASSWORD };

const newFolder = () => mkdtempSync(join(tmpdir(), 'postern-false-nats-'));
const info = (fields: object = {}) =>
  `INFO ${JSON.stringify({ server_id: 'F', version: '2.12.2', proto: 1, max_payload: 2 ** 24, headers: true, ...fields })}\r\n`;

/** Answers like NATS, and records what clients send. */
class FalseServer {
  received = '';
  clients = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(port: number, answer: (socket: Socket, record: (from: Socket) => void) => void) {
    const server = createServer();
    const fake = new FalseServer(server);
    server.on('connection', socket => {
      fake.clients += 1;
      fake.sockets.add(socket);
      socket.on('error', () => undefined);
      answer(socket, from => {
        from.on('error', () => undefined);
        from.on('data', chunk => {
          fake.received += chunk.toString('latin1');
          if (chunk.includes('PING')) from.write('PONG\r\n');
        });
      });
    });
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', () => resolve()));
    return fake;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise(resolve => this.server.close(resolve));
  }
}

const encrypted = (socket: Socket, { cert, key }: CertificateFiles): TLSSocket =>
  new TLSSocket(socket, {
    isServer: true,
    secureContext: createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) }),
  });

describe('A false server in place of the stopped NATS', () => {
  let certificates: CertificateFiles;
  let strangers: CertificateFiles;
  let nats: TestNats;
  let port: number;
  let fake: FalseServer | undefined;
  let link: NatsLink | undefined;

  beforeAll(async () => {
    const names = ['localhost', '127.0.0.1'];
    certificates = await ensureCertificates(join(newFolder(), 'tls'), names);
    strangers = await ensureCertificates(join(newFolder(), 'tls'), names);
    const conf = join(newFolder(), 'nats.conf');
    const { cert, key } = certificates;
    writeFileSync(
      conf,
      `tls { cert_file: "${cert}", key_file: "${key}", timeout: 2 }\nauthorization { user: service, password: "${PASSWORD}" }\n`,
    );
    port = await freePort();
    nats = await startNats({ port, args: ['-c', conf] });
  });
  afterEach(async () => {
    await link?.close();
    await fake?.stop();
    fake = undefined;
  });
  afterAll(() => nats?.stop());

  const options = (changes: Partial<NatsOptions> = {}): NatsOptions => ({
    servers: `nats://localhost:${port}`,
    name: 'spec',
    tls: { caFile: certificates.ca },
    ...USER,
    ...changes,
  });

  const fakes = {
    'that offers no TLS': (socket: Socket, record: (from: Socket) => void) => {
      record(socket);
      socket.write(info());
    },
    'that says it requires TLS, and speaks none': (socket: Socket, record: (from: Socket) => void) => {
      record(socket);
      socket.write(info({ tls_required: true }));
    },
    'with a certificate of another authority': (socket: Socket, record: (from: Socket) => void) => {
      socket.write(info({ tls_required: true }), () => record(encrypted(socket, strangers)));
    },
    'that begins with TLS': (socket: Socket, record: (from: Socket) => void) => {
      const secure = encrypted(socket, strangers);
      record(secure);
      secure.write(info({ tls_required: true }));
    },
  };

  it.each(Object.entries(fakes))(
    '%s receives nothing, and the connection returns to the real one',
    async (_, answer) => {
      link = await connectNats(options());
      expect(link.identity?.validUntil?.getTime()).toBeGreaterThan(Date.now());
      await nats.kill();
      fake = await FalseServer.start(port, answer);
      await waitFor(() => (fake?.clients ?? 0) >= 2, { timeoutMs: 30_000, describe: 'two connections to the fake' });
      expect(link.connected).toBe(false);
      // A client may have sent the unencrypted start of a handshake, and nothing else.
      expect(fake.received).not.toMatch(/CONNECT|PING|PUB|SUB|service|password/);
      await fake.stop();
      await nats.restart();
      await waitFor(() => link?.roundTrip(1_000).then(() => true), { timeoutMs: 30_000 });
    },
    60_000,
  );

  it('receives nothing from a new connection either, which then finds the real one', async () => {
    const warnings: string[] = [];
    const log: Log = { info() {}, error() {}, warn: (_fields, text) => void warnings.push(String(text)) };
    await nats.kill();
    fake = await FalseServer.start(port, fakes['that offers no TLS']);
    // Without an authority, a password requires TLS all the same.
    const connecting = connectNats(options({ log }));
    const withoutAuthority = connectNats(options({ tls: undefined, log }));
    await waitFor(() => (fake?.clients ?? 0) >= 4, { timeoutMs: 30_000 });
    expect(fake.received).toBe('');
    expect(warnings[0]).toContain('NATS offers no TLS, so the password is not sent to it');
    await fake.stop();
    await nats.restart();
    link = await connecting;
    await link.roundTrip(2_000);
    withoutAuthority.catch(() => undefined);
  }, 60_000);

  it('is not needed to change to TLS: a server that accepts both serves clients with and without it', async () => {
    const conf = join(newFolder(), 'nats.conf');
    const { cert, key } = certificates;
    const user = `authorization { user: service, password: "${PASSWORD}" }`;
    writeFileSync(conf, `allow_non_tls: true\ntls { cert_file: "${cert}", key_file: "${key}" }\n${user}\n`);
    const both = await startNats({ args: ['-c', conf] });
    const servers = `localhost:${new URL(both.url).port}`;
    const links = [
      await connectNats(options({ servers })),
      await connectNats({ servers, name: 'spec', ...USER, clearText: true }),
    ];
    expect(links.map(({ identity }) => identity?.validUntil instanceof Date)).toEqual([true, false]);
    for (const one of links) await one.close();
    await both.stop();
  });

  it('receives the password of an ordinary client, so the fake is one', async () => {
    const other = await freePort();
    fake = await FalseServer.start(other, fakes['that offers no TLS']);
    const ordinary = await connect({
      servers: `localhost:${other}`,
      user: 'service',
      pass: PASSWORD,
      reconnect: false,
    });
    expect(fake.received).toContain(PASSWORD);
    await ordinary.close();
  });

  it('has another address than those in its certificate', async () => {
    const failures: string[] = [];
    const log: Log = {
      info() {},
      error() {},
      warn: fields => void failures.push(String((fields as { err: Error }).err)),
    };
    link = await connectNats(options({ servers: `nats://127.0.0.1:${port}`, log }));
    await link.roundTrip(2_000);
    const { port: other, stop } = await startForwarder('127.0.0.2', port);
    const wrong = connectNats(options({ servers: `nats://127.0.0.2:${other}`, log }));
    wrong.catch(() => undefined);
    await waitFor(() => failures.length > 0);
    expect(failures[0]).toContain('127.0.0.2 is not in the cert');
    await stop();
  });
});

/** Another address of the server. */
const startForwarder = async (host: string, target: number) => {
  const port = await freePort();
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    const upstream = dial(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>(resolve => server.listen(port, host, () => resolve()));
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  };
  return { port, stop };
};
