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
  const { databasePasswords, natsPasswords, ...single } = secrets;
  const all = [single, databasePasswords, natsPasswords].flatMap(part => Object.values(part));
  expect(new Set(all).size).toBe(5 + 4 + 7);
  expect(modeOf(join(folder, 'secrets.json'))).toBe(0o600);
});

it('keeps existing secrets of a home and creates the missing ones', () => {
  const known = {
    operatorPassword: 'known',
    linkSecret: 'also known',
    encryptionKey: 'local:known',
    sandboxDkimKey: 'k',
    databasePasswords: { 'email-send': 'kept' },
  };
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(known), { mode: 0o644 });

  const secrets = new Home(folder).secrets();

  expect(secrets).toEqual({
    ...known,
    databasePassword: expect.any(String),
    databasePasswords: expect.objectContaining({ 'email-send': 'kept', 'webhook-dispatch': expect.any(String) }),
    natsPasswords: expect.any(Object),
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

it('records its format, and a home without the file has the first format', () => {
  mkdirSync(join(folder, 'logs'));
  new Home(folder);
  expect(JSON.parse(readFileSync(join(folder, 'format.json'), 'utf8'))).toEqual({ version: 1 });
});

it('is refused and left unchanged if a newer release wrote it', () => {
  writeFileSync(join(folder, 'format.json'), '{"version":2}');
  expect(() => new Home(folder)).toThrow(`${folder} was written by a newer release of Postern (its format is 2`);
  expect(readdirSync(folder)).toEqual(['format.json']);
});

it('denies other users access to its logs and its NATS data', () => {
  const home = new Home(folder);
  for (const own of ['logs', 'nats']) expect(modeOf(home.path(own))).toBe(0o700);
});
