import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, type PostgresServer, spawnPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { defineConfig } from '../config/define-config.js';
import { databaseSettings } from '../config/settings.js';
import { Database } from './database.js';
import { applyMigrations } from './migrations.js';
import { VerifyingClient } from './verifying-client.js';

const PASSWORD = 'the-password-of-the-service';
const silent = { info() {}, warn() {}, error() {} };

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const authentication = (code: number, rest = ''): Buffer => {
  const body = Buffer.alloc(4);
  body.writeInt32BE(code);
  return message('R', Buffer.concat([body, Buffer.from(rest, 'latin1')]));
};
const READY = message('Z', Buffer.from('I'));

/** A server that answers each start-up packet in the same way, and records everything that clients send after it. */
class FakePostgres {
  received = '';
  clients = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(port: number, answers: readonly Buffer[]): Promise<FakePostgres> {
    const server = createServer();
    const fake = new FakePostgres(server);
    server.on('connection', socket => {
      fake.sockets.add(socket);
      socket.on('error', () => undefined);
      let isStarted = false;
      socket.on('data', chunk => {
        // The SSLRequest; a fake has no certificate.
        if (!isStarted && chunk.length === 8) socket.write('N');
        else if (isStarted) fake.received += chunk.toString('latin1');
        else {
          isStarted = true;
          fake.clients += 1;
          for (const answer of answers) socket.write(answer);
        }
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

const FAKES = {
  'asks for the password in clear text': [authentication(3)],
  'asks for the password as MD5': [authentication(5, 'salt')],
  'asks for no password': [authentication(0), READY],
  'claims that SCRAM is complete': [authentication(12, 'v=c2lnbmF0dXJl'), authentication(0), READY],
};

const rules = () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-rules-'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'pg_hba.conf'), 'host all postgres all trust\nhost all all all scram-sha-256\n');
  return join(folder, 'pg_hba.conf');
};

describe('A fake server in place of the stopped PostgreSQL', () => {
  let postgres: PostgresServer;
  let port: number;
  let fake: FakePostgres | undefined;

  beforeAll(async () => {
    port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'postern-verifying-'));
    chmodSync(folder, 0o755);
    postgres = await spawnPostgres({
      dataDir: join(folder, 'data'),
      port,
      durable: false,
      settings: { hba_file: rules() },
    });
    const admin = new pg.Client({ connectionString: postgres.url() });
    await admin.connect();
    await admin.query(`CREATE ROLE service LOGIN PASSWORD '${PASSWORD}'`);
    await admin.query('CREATE DATABASE service OWNER service');
    await admin.end();
  });
  afterEach(() => fake?.stop());
  afterAll(() => postgres?.stop());

  const url = () => `postgresql://service:${PASSWORD}@127.0.0.1:${port}/service`;

  const newDatabase = () =>
    new Database(defineConfig(databaseSettings).read({ POSTERN_DATABASE_URL: url() }), 'test', silent);

  it.each(Object.entries(FAKES))(
    'that %s receives nothing, and the pool returns to the real one',
    async (_, answers) => {
      const database = newDatabase();
      const query = () => database.pool.query('SELECT current_user AS name').then(({ rows }) => rows[0].name);
      const read = () => database.reads.query({ text: 'SELECT 7 AS number' });
      try {
        expect(await query()).toBe('service');
        await read();
        await postgres.stop();
        fake = await FakePostgres.start(port, answers);
        for (let attempt = 0; attempt < 3; attempt += 1) {
          await expect(query()).rejects.toThrow();
          await expect(read()).rejects.toThrow();
        }
        await expect(applyMigrations({ databaseUrl: url(), directory: 'nowhere' })).rejects.toThrow();
        expect(fake.clients).toBeGreaterThan(3);
        expect(fake.received).toBe('');
        await fake.stop();
        fake = undefined;
        await postgres.restart();
        await waitFor(async () => (await query().catch(() => undefined)) === 'service');
      } finally {
        await database.close();
        if (!postgres.isRunning) {
          await fake?.stop();
          fake = undefined;
          await postgres.restart();
        }
      }
    },
    60_000,
  );

  it('names the reason and the way out', async () => {
    const other = await freePort();
    fake = await FakePostgres.start(other, FAKES['asks for the password in clear text']);
    const client = new VerifyingClient({ connectionString: url().replace(String(port), String(other)) });
    await expect(client.connect()).rejects.toThrow(
      'asks for the password in clear text, and it has not proved its identity: use scram-sha-256 in pg_hba.conf, or sslmode=verify-full',
    );
  });

  it('receives nothing from a client that requires TLS', async () => {
    const other = await freePort();
    fake = await FakePostgres.start(other, FAKES['asks for the password in clear text']);
    const encrypted = `${url().replace(String(port), String(other))}?sslmode=verify-full`;
    await expect(new VerifyingClient({ connectionString: encrypted }).connect()).rejects.toThrow('SSL');
    expect([fake.clients, fake.received]).toEqual([0, '']);
  });

  it('receives the password of an ordinary client, so the fake is one', async () => {
    const other = await freePort();
    fake = await FakePostgres.start(other, FAKES['asks for the password in clear text']);
    const { received } = fake;
    const client = new pg.Client({ connectionString: url().replace(String(port), String(other)) });
    client.connect().catch(() => undefined);
    await waitFor(() => fake?.received.includes(PASSWORD));
    expect(received).toBe('');
  });
});
