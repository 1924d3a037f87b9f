import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exchangeService, isNewer } from './exchange-service.js';

let releases: string;

const write = (version: string, path: string, text: string): void => {
  const file = join(releases, version, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const read = (version: string, path: string): string => readFileSync(join(releases, version, path), 'utf8');
const readManifest = (version: string) => JSON.parse(read(version, 'manifest.json')) as object;

/** A release as the archive of a set has it, or as that of a build, in which services share their packages. */
const unpack = (version: string, services: Record<string, string>, { returnsTo = '0.0.0', isBuild = false } = {}) => {
  for (const [service, number] of Object.entries(services)) {
    write(version, isBuild ? `apps/${service}/main.js` : `services/${service}/main.js`, `${service} ${number}`);
    if (!isBuild) write(version, `services/${service}/only-in-${number}.js`, number);
    write(version, `libs/contracts/released/${service}@${number}.json`, '{}');
  }
  write(version, 'settings.json', JSON.stringify(services));
  write(version, 'manifest.json', JSON.stringify({ version, returnsTo, services }));
  write(version, 'bin/postern', `command of ${version}`);
  const folder = join(releases, version);
  symlinkSync('bin/postern', join(folder, 'link'));
  execFileSync('sh', ['-c', 'find . -type f ! -name SHA256SUMS | xargs sha256sum > SHA256SUMS'], { cwd: folder });
};
const digests = (version: string) =>
  execFileSync('sh', ['-c', 'find . -type f | sort | xargs sha256sum'], { cwd: join(releases, version) }).toString();

beforeEach(() => {
  releases = mkdtempSync(join(tmpdir(), 'postern-releases-'));
});
afterEach(() => rmSync(releases, { recursive: true, force: true }));

describe('a release with one service of an earlier one', () => {
  beforeEach(() => {
    unpack('2026.11.0', { 'email-send': '0.2.0', 'webhook-dispatch': '0.2.0' });
    unpack('2026.12.0', { 'email-send': '0.3.0', 'webhook-dispatch': '0.2.1' });
  });

  it('has this service, its contract and its settings, and everything else of the current one', async () => {
    const version = await exchangeService(releases, '2026.12.0', 'email-send');
    expect(version).toBe('2026.12.0+email-send-0.2.0');
    expect(read(version, 'services/email-send/main.js')).toBe('email-send 0.2.0');
    expect(readdirSync(join(releases, version, 'services/email-send'))).toEqual(['main.js', 'only-in-0.2.0.js']);
    expect(read(version, 'services/webhook-dispatch/main.js')).toBe('webhook-dispatch 0.2.1');
    expect(read(version, 'link')).toBe('command of 2026.12.0');
    const services = { 'email-send': '0.2.0', 'webhook-dispatch': '0.2.1' };
    expect(readManifest(version)).toEqual({ version, returnsTo: '0.0.0', services });
    expect(JSON.parse(read(version, 'settings.json'))).toEqual(services);
    expect(read(version, 'libs/contracts/released/email-send@0.2.0.json')).toBe('{}');
  });

  it('has the SHA-256 of each of its files, and changes no file of the others', async () => {
    const before = ['2026.11.0', '2026.12.0'].map(digests);
    const version = await exchangeService(releases, '2026.12.0', 'email-send');
    const folder = join(releases, version);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder });
    const listed = read(version, 'SHA256SUMS').trim().split('\n').length;
    expect(listed).toBe(digests(version).trim().split('\n').length - 1);
    expect(['2026.11.0', '2026.12.0'].map(digests)).toEqual(before);
  });

  it('has the contract of the earlier release, also where the current one has another copy or the same file', async () => {
    const contract = 'libs/contracts/released/email-send@0.2.0.json';
    write('2026.11.0', contract, '{"of":"2026.11.0"}');
    write('2026.12.0', contract, '{"of":"2026.12.0"}');
    const version = await exchangeService(releases, '2026.12.0', 'email-send');
    expect(read(version, contract)).toBe('{"of":"2026.11.0"}');
    expect(read('2026.12.0', contract)).toBe('{"of":"2026.12.0"}');
    rmSync(join(releases, version), { recursive: true });
    rmSync(join(releases, '2026.12.0', contract));
    linkSync(join(releases, '2026.11.0', contract), join(releases, '2026.12.0', contract));
    expect(read(await exchangeService(releases, '2026.12.0', 'email-send'), contract)).toBe('{"of":"2026.11.0"}');
  });

  it('is written once, and after an interruption again', async () => {
    mkdirSync(join(releases, '2026.12.0+email-send-0.2.0.partial/services'), { recursive: true });
    const version = await exchangeService(releases, '2026.12.0', 'email-send');
    expect(await exchangeService(releases, '2026.12.0', 'email-send')).toBe(version);
    expect(readdirSync(releases).sort()).toEqual(['2026.11.0', '2026.12.0', version]);
  });

  it('can have a second service of an earlier one', async () => {
    const first = await exchangeService(releases, '2026.12.0', 'email-send');
    const second = await exchangeService(releases, first, 'webhook-dispatch');
    expect(readManifest(second)).toMatchObject({ services: { 'email-send': '0.2.0', 'webhook-dispatch': '0.2.0' } });
  });

  it('takes the newest of several earlier versions, and none of a newer release', async () => {
    unpack('2027.1.0', { 'email-send': '0.2.5', 'webhook-dispatch': '0.3.0' });
    unpack('2026.10.0', { 'email-send': '0.1.0', 'webhook-dispatch': '0.1.0' });
    expect(await exchangeService(releases, '2026.12.0', 'email-send')).toBe('2026.12.0+email-send-0.2.0');
  });
});

describe('is refused', () => {
  const refusal = (service: string) => exchangeService(releases, '2026.12.0', service);

  it('without an earlier version of the service', async () => {
    unpack('2026.11.0', { 'email-send': '0.3.0' });
    unpack('2026.12.0', { 'email-send': '0.3.0' });
    await expect(refusal('email-send')).rejects.toThrow(
      'no unpacked release has an older email-send than 0.3.0. Unpacked are: 2026.12.0, 2026.11.0',
    );
  });

  it('for a name that is no service', async () => {
    unpack('2026.12.0', { 'email-send': '0.3.0' });
    await expect(refusal('../etc')).rejects.toThrow('../etc is not a service. They are email-send');
    await expect(refusal('toString')).rejects.toThrow('toString is not a service');
  });

  it.each([
    ['2026.11.0', true, false],
    ['2026.12.0', false, true],
  ])('for services that share their packages, as in %s', async (_version, first, second) => {
    unpack('2026.11.0', { 'email-send': '0.2.0' }, { isBuild: first });
    unpack('2026.12.0', { 'email-send': '0.3.0' }, { isBuild: second });
    await expect(refusal('email-send')).rejects.toThrow('Return all: postern rollback');
  });

  it('if the earlier release cannot run on the data', async () => {
    unpack('2026.11.0', { 'email-send': '0.2.0' });
    unpack('2026.12.0', { 'email-send': '0.3.0' }, { returnsTo: '2026.12.0' });
    await expect(refusal('email-send')).rejects.toThrow('cannot run on the data of 2026.12.0');
  });
});

it.each([
  ['2026.12.0', '2026.11.0', true],
  ['2026.9.0', '2026.11.0', false],
  ['2026.12.0+email-send-0.2.0', '2026.12.0', false],
  ['2026.12.1', '2026.12.0+email-send-0.2.0', true],
  ['0.10.0', '0.9.9', true],
])('%s is newer than %s: %s', (one, other, expected) => expect(isNewer(one, other)).toBe(expected));
