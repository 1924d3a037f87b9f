import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Log } from '@postern/messaging';
import {
  createCertificates,
  freePort,
  type PostgresServer,
  spawnPostgres,
  startNats,
  startPostgres,
  type TestNats,
  type TestPostgres,
  unprivilegedUser,
} from '@postern/testing';
import { defineConfig } from './config/define-config.js';
import { databaseSettings } from './config/settings.js';
import { Database } from './database/database.js';
import { applyMigrations } from './database/migrations.js';
import { connectWith } from './nats.js';

jest.setTimeout(120_000);

const silent: Log = { info() {}, warn() {}, error() {} };
const strangers = createCertificates('DNS:localhost');

describe('The connection to NATS', () => {
  const settings = defineConfig({});
  const certificates = createCertificates('DNS:localhost');
  let nats: TestNats;
  let plain: TestNats;

  beforeAll(async () => {
    const conf = join(mkdtempSync(join(tmpdir(), 'postern-nats-tls-')), 'nats.conf');
    const { ca, server } = certificates;
    writeFileSync(
      conf,
      `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca}", verify: true }\n`,
    );
    nats = await startNats({ args: ['-c', conf] });
    plain = await startNats();
  });
  afterAll(async () => {
    await nats?.stop();
    await plain?.stop();
  });

  const urlOf = ({ url }: TestNats, host = 'localhost') => `tls://${host}:${new URL(url).port}`;
  const CLIENT = { POSTERN_NATS_CERT_FILE: certificates.client.cert, POSTERN_NATS_KEY_FILE: certificates.client.key };

  /** Connects like a service, or returns the first error after which it would retry. */
  const connected = (environment: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const log: Log = { ...silent, warn: fields => resolve(String((fields as { err: unknown }).err)) };
      connectWith(settings.read(environment), 'email-send', log).then(async ({ link }) => {
        await link.roundTrip(5_000);
        resolve(`TLS ${link.nc.info?.tls_required}`);
        await link.close();
      }, reject);
    });

  it('is encrypted and uses certificates on both sides', async () => {
    const servers = { POSTERN_NATS_SERVERS: urlOf(nats), POSTERN_NATS_CA_FILE: certificates.ca };
    expect(await connected({ ...servers, ...CLIENT })).toBe('TLS true');
  });

  it('is not made to a server with a certificate of another authority', async () => {
    const servers = { POSTERN_NATS_SERVERS: urlOf(nats), POSTERN_NATS_CA_FILE: strangers.ca };
    expect(await connected({ ...servers, ...CLIENT })).toMatch(/certificate/);
  });

  it('is not made to an IP address that is not in the certificate', async () => {
    const servers = { POSTERN_NATS_SERVERS: urlOf(nats, '127.0.0.1'), POSTERN_NATS_CA_FILE: certificates.ca };
    expect(await connected({ ...servers, ...CLIENT })).toContain("IP: 127.0.0.1 is not in the cert's list");
  });

  it('is not made without the client certificate that the server requires', async () => {
    const servers = { POSTERN_NATS_SERVERS: urlOf(nats), POSTERN_NATS_CA_FILE: certificates.ca };
    expect(await connected(servers)).toMatch(/Error/);
  });

  it('is not made to a server without TLS, with or without an authority', async () => {
    const servers = { POSTERN_NATS_SERVERS: urlOf(plain) };
    expect(await connected(servers)).toMatch(/tls/i);
    expect(await connected({ ...servers, POSTERN_NATS_CA_FILE: certificates.ca })).toMatch(/tls/i);
  });

  it('is not made to a server without TLS with a password, unless clear text is allowed', async () => {
    const password = { POSTERN_NATS_USER: 'service', POSTERN_NATS_PASSWORD: 'secret' };
    const servers = { POSTERN_NATS_SERVERS: plain.url, ...password };
    expect(await connected(servers)).toMatch(/does not support 'tls'/);
    expect(await connected({ ...servers, POSTERN_NATS_CLEAR_TEXT: 'true' })).toBe('TLS undefined');
  });
});

describe('The connection to PostgreSQL', () => {
  const settings = defineConfig(databaseSettings);
  const certificates = createCertificates('IP:127.0.0.1');
  let postgres: PostgresServer;
  let plain: TestPostgres;

  beforeAll(async () => {
    const { cert, key } = certificates.server;
    const user = unprivilegedUser();
    if (user) chownSync(key, user.uid, user.gid);
    chmodSync(key, 0o600);
    const dataDir = join(mkdtempSync(join(tmpdir(), 'postern-postgres-tls-')), 'data');
    chmodSync(join(dataDir, '..'), 0o755);
    const tls = { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key };
    postgres = await spawnPostgres({ dataDir, port: await freePort(), durable: false, settings: tls });
    plain = await startPostgres();
  });
  afterAll(async () => {
    await postgres?.stop();
    await plain?.stop();
  });

  const urlOf = (ca: string, database = 'tls') => `${postgres.url(database)}?sslmode=verify-full&sslrootcert=${ca}`;

  const isEncrypted = async (url: string): Promise<unknown> => {
    const database = new Database(settings.read({ POSTERN_DATABASE_URL: url }), 'test', silent);
    try {
      const { rows } = await database.pool.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return rows[0].ssl;
    } finally {
      await database.close();
    }
  };

  it('is encrypted with sslmode=verify-full, like that of the migrations', async () => {
    const directory = new URL('./testing/migrations/', import.meta.url);
    await applyMigrations({ databaseUrl: urlOf(certificates.ca), directory });
    expect(await isEncrypted(urlOf(certificates.ca))).toBe(true);
  });

  it('is not made to a server with a certificate of another authority', async () => {
    await expect(isEncrypted(urlOf(strangers.ca, 'postgres'))).rejects.toThrow(/certificate/);
  });

  it('is not made to a server whose certificate is for another name', async () => {
    const url = urlOf(certificates.ca, 'postgres').replace('127.0.0.1', 'localhost');
    await expect(isEncrypted(url)).rejects.toThrow(/altnames/);
  });

  it('is not made to a server without TLS', async () => {
    const url = `${await plain.createDatabase()}?sslmode=verify-full&sslrootcert=${certificates.ca}`;
    await expect(isEncrypted(url)).rejects.toThrow('does not support SSL');
  });
});
