import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ensureAuthority, ensureCertificates, ensureServerCertificate } from './certificate-folder.js';

const NAMES = ['localhost', '127.0.0.1', '::1'];
const DAY_MS = 86_400_000;

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'postern-certificates-')), 'tls');
});
afterEach(() => {
  jest.useRealTimers();
  rmSync(join(folder, '..'), { recursive: true });
});

const certificate = (name: 'ca' | 'server') => new X509Certificate(readFileSync(join(folder, `${name}.crt`)));

it('Only the owner can read the keys', async () => {
  const { key } = await ensureCertificates(folder, NAMES);
  expect(statSync(folder).mode & 0o777).toBe(0o711);
  for (const file of [key, join(folder, 'ca.key')]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('The authority signs a P-256 certificate for each name, and signs no other authority', async () => {
  await ensureCertificates(folder, NAMES);
  expect(certificate('server').verify(certificate('ca').publicKey)).toBe(true);
  expect(certificate('server').checkHost('localhost')).toBe('localhost');
  expect([certificate('server').checkIP('127.0.0.1'), certificate('server').checkIP('::1')]).not.toContain(undefined);
  expect(certificate('server').checkHost('nats.example.com')).toBeUndefined();
  expect(certificate('server').publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect([certificate('ca').ca, certificate('server').ca]).toEqual([true, false]);
});

it('A second call keeps what is there', async () => {
  const first = await ensureCertificates(folder, NAMES);
  const { fingerprint256 } = certificate('server');
  const second = await ensureCertificates(folder, NAMES);
  expect([first.renewed, second.renewed]).toEqual([true, false]);
  expect(certificate('server').fingerprint256).toBe(fingerprint256);
});

it('The certificate is renewed a year before it expires, for another name and with a damaged key', async () => {
  await ensureCertificates(folder, NAMES);
  const authority = certificate('ca').fingerprint256;
  jest.useFakeTimers({
    now: Date.now() + (4 * 365 + 1) * DAY_MS,
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
  });
  expect((await ensureCertificates(folder, NAMES)).renewed).toBe(true);
  expect((await ensureCertificates(folder, [...NAMES, 'nats.example.com'])).renewed).toBe(true);
  writeFileSync(join(folder, 'server.key'), 'damaged');
  expect((await ensureCertificates(folder, [...NAMES, 'nats.example.com'])).renewed).toBe(true);
  expect(certificate('server').checkHost('nats.example.com')).toBe('nats.example.com');
  expect(certificate('ca').fingerprint256).toBe(authority);
});

it('The authority is replaced before it expires, with the certificate that it signed', async () => {
  await ensureCertificates(folder, NAMES);
  const authority = certificate('ca').fingerprint256;
  jest.useFakeTimers({
    now: Date.now() + 20 * 365 * DAY_MS,
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
  });
  await ensureCertificates(folder, NAMES);
  expect(certificate('ca').fingerprint256).not.toBe(authority);
  expect(certificate('server').verify(certificate('ca').publicKey)).toBe(true);
});

it('One authority signs the certificates of several servers, each with its own key', async () => {
  const authority = await ensureAuthority(folder);
  const servers = ['one', 'two'].map(name => join(folder, name));
  const keys = new Set<string>();
  for (const server of servers) {
    mkdirSync(server);
    const { ca, cert, key } = await ensureServerCertificate(authority, server, ['10.0.0.7']);
    expect(readFileSync(ca, 'utf8')).toBe(authority.cert);
    expect(new X509Certificate(readFileSync(cert)).verify(certificate('ca').publicKey)).toBe(true);
    keys.add(readFileSync(key, 'utf8'));
  }
  expect(keys.size).toBe(2);
});
