import {
  chmodSync,
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
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Home } from './home.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-home-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

it('creates its secrets once, all different, readable by their owner only', () => {
  const secrets = new Home(folder).secrets();
  expect(new Home(folder).secrets()).toEqual(secrets);
  const { natsPasswords, ...single } = secrets;
  const all = [single, natsPasswords].flatMap(part => Object.values(part));
  expect(new Set(all).size).toBe(5 + 7);
  expect(modeOf(join(folder, 'secrets.json'))).toBe(0o600);
});

it('keeps existing secrets of a home, creates the missing ones and removes unknown ones', () => {
  const known = {
    operatorPassword: 'known',
    linkSecret: 'also known',
    encryptionKey: 'local:known',
    sandboxDkimKey: 'k',
    natsPasswords: { 'email-send': 'kept' },
  };
  const unknown = { databasePassword: 'of nobody' };
  const home = new Home(folder);
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ ...known, ...unknown }), { mode: 0o644 });

  const secrets = home.secrets();

  expect(secrets).toEqual({
    ...known,
    metricsToken: expect.any(String),
    natsPasswords: expect.objectContaining({ 'email-send': 'kept', 'webhook-dispatch': expect.any(String) }),
  });
  expect(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))).toEqual(secrets);
  expect(modeOf(join(folder, 'secrets.json'))).toBe(0o600);
});

it('creates no new secrets if existing data needs the lost ones', () => {
  const home = new Home(folder);
  mkdirSync(home.path('postgres'));

  expect(() => home.secrets()).toThrow(`${home.path('secrets.json')} is missing`);
  expect(existsSync(home.path('secrets.json'))).toBe(false);
});

it('records its format', () => {
  for (const _start of ['first', 'second']) new Home(folder);
  expect(JSON.parse(readFileSync(join(folder, 'format.json'), 'utf8'))).toEqual({ version: 4 });
});

it.each([
  ['format.json', '{"version":3}'],
  ['format.json', '{}'],
])('is refused and left unchanged if it is from before 0.2.0: %s with %s', (file, content) => {
  writeFileSync(join(folder, file), content);
  expect(() => new Home(folder)).toThrow('from before 0.2.0, which no release can upgrade.\nDelete the folder');
  expect(readdirSync(folder)).toEqual([file]);
});

it('is refused and left unchanged if a newer release wrote it', () => {
  writeFileSync(join(folder, 'format.json'), '{"version":5}');
  expect(() => new Home(folder)).toThrow(`${folder} was written by a newer release of Postern (its format is 5`);
  expect(readdirSync(folder)).toEqual(['format.json']);
});

it('denies other users access to its logs and its NATS data', () => {
  const home = new Home(folder);
  for (const own of ['logs', 'nats']) expect(modeOf(home.path(own))).toBe(0o700);
});
