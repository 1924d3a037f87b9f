import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { createCertificates } from '@postern/testing';
import type pg from 'pg';
import { LocalDatabases } from './local-databases.js';
import { processesOf } from './processes.js';
import { PLACES, provided, queried } from './testing/provided-database.js';

jest.setTimeout(120_000);

const home = mkdtempSync(join(tmpdir(), 'postern-tls-'));
const databases = new LocalDatabases(home, PLACES, { sandboxFrames: join(home, 'frames') });
const authorityFile = join(home, 'databases/authority/ca.crt');

let relational: DatabaseOrder;
beforeAll(async () => {
  await chmod(home, 0o755);
  relational = await provided(databases, 'relational');
});
afterAll(async () => {
  await databases.remove(relational.databaseId);
  await rm(home, { recursive: true, force: true });
});

const CONNECTION = 'SELECT ssl AS encrypted, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
const configured = (name: string) => join(home, 'databases', relational.databaseId, 'configuration', name);
const connect = (ssl: pg.ClientConfig['ssl']) => queried(relational, [CONNECTION], { ssl });

/** Connects as users do who set `sslmode` in the connection URL. */
const psql = async (mode: string, ca: string, host = relational.host): Promise<string> => {
  const { username, password, port } = relational;
  const parameters = `sslmode=${mode}&sslrootcert=${encodeURIComponent(ca)}&hostaddr=${relational.host}`;
  const url = `postgresql://${username}:${password}@${host}:${port}/${username}?${parameters}`;
  const { stdout } = await promisify(execFile)('psql', ['--no-psqlrc', '-Atc', 'SHOW ssl', url]);
  return stdout.trim();
};

it('a relational database accepts connections with TLS and without', async () => {
  expect(await connect({ rejectUnauthorized: false })).toEqual([{ encrypted: true, version: 'TLSv1.3' }]);
  expect(await connect(false)).toEqual([{ encrypted: false, version: null }]);
});

it('clients can verify the server with the authority of the installation, by its address and through a tunnel', async () => {
  expect(await psql('require', authorityFile)).toBe('on');
  expect(await psql('verify-full', authorityFile)).toBe('on');
  expect(await psql('verify-full', authorityFile, 'localhost')).toBe('on');
  await expect(psql('verify-full', authorityFile, 'database.example.com')).rejects.toThrow('does not match host name');
  const another = createCertificates('IP:127.0.0.1').ca;
  await expect(psql('verify-full', another)).rejects.toThrow('certificate verify failed');
});

it('its usage has the certificate of the authority', async () => {
  const ca = (await databases.usageOf(relational.databaseId))?.caCertificate;
  expect(ca).toBe(await readFile(authorityFile, 'utf8'));
  expect(await connect({ ca })).toEqual([{ encrypted: true, version: 'TLSv1.3' }]);
});

it('old versions of TLS are refused', async () => {
  await expect(connect({ rejectUnauthorized: false, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
});

it('two databases have one authority, and different keys that no other user can read', async () => {
  const other = await provided(databases, 'relational');
  const folder = join(home, 'databases', other.databaseId, 'configuration');
  const authority = new X509Certificate(await readFile(authorityFile));
  const keys = [configured('server.key'), join(folder, 'server.key')];
  expect(await readFile(keys[0]!, 'utf8')).not.toBe(await readFile(keys[1]!, 'utf8'));
  for (const path of keys) expect((await stat(path)).mode & 0o027).toBe(0);
  expect((await stat(join(home, 'databases/authority/ca.key'))).mode & 0o777).toBe(0o600);
  const certificate = new X509Certificate(await readFile(join(folder, 'server.crt')));
  expect(certificate.verify(authority.publicKey)).toBe(true);
  const groups = await Promise.all(keys.map(async path => (await stat(path)).gid));
  if (process.getuid?.() === 0) expect(groups[0]).not.toBe(groups[1]);
  await databases.remove(other.databaseId);
});

it('a running server uses a new certificate without a restart', async () => {
  const { folder, uid } = { folder: join(home, 'databases', relational.databaseId, 'data'), uid: undefined };
  const [before] = await processesOf({ folder, uid });
  const damaged = await readFile(configured('server.crt'), 'utf8');
  await writeFile(configured('server.crt'), 'damaged');
  await databases.ensure(relational);
  expect(await readFile(configured('server.crt'), 'utf8')).not.toBe(damaged);
  expect(await psql('verify-full', authorityFile)).toBe('on');
  expect((await processesOf({ folder, uid }))[0]).toBe(before);
});
