import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureCertificates } from '@postern/messaging/certificates';
import { findNatsServer } from '@postern/testing';
import { parse } from 'yaml';
import { readConfiguration } from '../configuration/read-configuration.js';
import { SecretStore } from '../machine/secret-store.js';
import { SERVICES } from '../rendering/model.js';
import { EXAMPLE, IMAGES, MACHINE, SETTINGS } from '../testing/example.js';
import { imagesIn, writeComposition } from './compose.js';

const model = { configuration: readConfiguration(EXAMPLE, SETTINGS), machine: MACHINE };
const isRoot = process.getuid?.() === 0;

// The secrets belong to the user of each container, as whom only root can create files.
(isRoot ? describe : describe.skip)('The folder of compose.yaml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-compose-'));
  const target = join(folder, 'containers');
  const store = new SecretStore(join(folder, 'secrets'));
  const secret = (name: string): string => readFileSync(join(target, 'secrets', name), 'utf8').trim();
  let written: readonly string[];

  beforeAll(() => {
    written = writeComposition(target, model, IMAGES, store);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has every file that compose.yaml names', () => {
    const { services, secrets } = parse(readFileSync(join(target, 'compose.yaml'), 'utf8')) as {
      readonly services: Readonly<Record<string, { readonly volumes?: readonly string[] }>>;
      readonly secrets: Readonly<Record<string, { readonly file: string }>>;
    };
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.filter(volume => volume.startsWith('./')).map(volume => volume.split(':')[0] ?? ''),
    );
    for (const file of [...mounted, ...Object.values(secrets).map(({ file }) => file)])
      expect([file, existsSync(join(target, file))]).toEqual([file, true]);
    expect(readdirSync(join(target, 'secrets')).sort()).toEqual(Object.keys(secrets).sort());
    expect(written).toContain('docker/postfix/start');
  });

  it('has secrets that only the user of the container can read, in a folder for root only', () => {
    expect(statSync(join(target, 'secrets')).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(target, 'secrets'))) {
      const { uid, mode } = statSync(join(target, 'secrets', name));
      expect([name, mode & 0o777, uid]).toEqual([
        name,
        0o400,
        /^(nats-passwords|database-(?!url))/.test(name) ? 0 : 10_001,
      ]);
    }
  });

  it('gives each service the password that its role in PostgreSQL gets', () =>
    expect(secret('database-url-email-send')).toBe(
      `postgres://postern_email_send:${secret('database-email-send')}@postgres/postern_email_send`,
    ));

  it('keeps the secrets when it is written again', () => {
    const before = secret('encryption-keys');
    writeComposition(target, model, IMAGES, store);
    expect(secret('encryption-keys')).toBe(before);
  });

  it('has a configuration that NATS accepts, with the passwords of all users', async () => {
    const root = join(folder, 'container');
    for (const path of ['etc', 'run/secrets', 'data']) mkdirSync(join(root, path), { recursive: true });
    await ensureCertificates(join(root, 'nats-tls'), ['nats']);
    const conf = readFileSync(join(target, 'nats.conf'), 'utf8').replaceAll(/ \/(nats-tls|data)/g, ` ${root}/$1`);
    writeFileSync(join(root, 'etc/nats.conf'), conf);
    writeFileSync(join(root, 'etc/nats-users.conf'), readFileSync(join(target, 'nats-users.conf')));
    writeFileSync(join(root, 'run/secrets/nats-passwords'), `${secret('nats-passwords')}\n`);
    const { path } = await findNatsServer({ version: '2.12' });
    const check = () => execFileSync(path, ['-t', '-c', join(root, 'etc/nats.conf')], { stdio: 'pipe', env: {} });
    expect(check).not.toThrow();
    writeFileSync(join(root, 'run/secrets/nats-passwords'), secret('nats-passwords').replace(/^.*EMAIL_SEND.*$/m, ''));
    expect(check).toThrow(/POSTERN_NATS_PASSWORD_EMAIL_SEND/);
  });
});

describe('A set of releases', () => {
  const releases = SERVICES.map(service => ({
    service,
    version: '0.2.0',
    image: { repository: `registry.example.com/postern/${service}`, digest: `sha256:${'0'.repeat(64)}` },
  }));
  const read = (set: unknown) => imagesIn(JSON.stringify(set), 'set.json', SERVICES);

  it('names the images by version and digest', () => expect(read({ version: '1.0.0', releases })).toEqual(IMAGES));

  it.each([
    [
      'without a service',
      { version: '1.0.0', releases: releases.slice(1) },
      /^set\.json has no release of platform-management/,
    ],
    [
      'with a tag as digest',
      { version: '1', releases: [{ ...releases[0], image: { repository: 'a', digest: 'latest' } }] },
      /releases\.0\.image\.digest/,
    ],
    ['that is one release', releases[0], /^set\.json is not a set of releases: releases: /],
  ])('%s is refused', (_what, set, reason) => expect(() => read(set)).toThrow(reason));

  it('that is no JSON is refused', () =>
    expect(() => imagesIn('{', 'set.json', SERVICES)).toThrow(/^set\.json is not JSON/));
});
