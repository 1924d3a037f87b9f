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

it('keeps existing secrets of a home, creates the missing ones and removes former ones', () => {
  const known = {
    operatorPassword: 'known',
    linkSecret: 'also known',
    encryptionKey: 'local:known',
    sandboxDkimKey: 'k',
    natsPasswords: { 'email-send': 'kept' },
  };
  const former = { databasePassword: 'of an earlier release', databasePasswords: { 'email-send': 'former' } };
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ ...known, ...former }), { mode: 0o644 });

  const secrets = new Home(folder).secrets();

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

it.each(['', '{"version":1}'])('records its format, which earlier releases cannot open (before: %j)', former => {
  if (former) writeFileSync(join(folder, 'format.json'), former);
  new Home(folder);
  expect(JSON.parse(readFileSync(join(folder, 'format.json'), 'utf8'))).toEqual({ version: 2 });
});

it('is refused and left unchanged if a newer release wrote it', () => {
  writeFileSync(join(folder, 'format.json'), '{"version":3}');
  expect(() => new Home(folder)).toThrow(`${folder} was written by a newer release of Postern (its format is 3`);
  expect(readdirSync(folder)).toEqual(['format.json']);
});

it('denies other users access to its logs and its NATS data', () => {
  const home = new Home(folder);
  for (const own of ['logs', 'nats']) expect(modeOf(home.path(own))).toBe(0o700);
});
