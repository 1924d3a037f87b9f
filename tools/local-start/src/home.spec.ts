import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Home, isInUse } from './home.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-home-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

it('makes its secrets once, each of its own, for the eyes of their owner', () => {
  const secrets = new Home(folder).secrets();
  expect(new Home(folder).secrets()).toEqual(secrets);
  expect(new Set(Object.values(secrets)).size).toBe(6);
  expect(modeOf(join(folder, 'secrets.json'))).toBe(0o600);
});

it('keeps the secrets of a home that has only some, and makes those that it lacks', () => {
  const known = {
    operatorPassword: 'known',
    linkSecret: 'also known',
    encryptionKey: 'local:known',
    sandboxDkimKey: 'k',
  };
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(known), { mode: 0o644 });

  const secrets = new Home(folder).secrets();

  expect(secrets).toEqual({ ...known, databasePassword: expect.any(String), natsToken: expect.any(String) });
  expect(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))).toEqual(secrets);
  expect(modeOf(join(folder, 'secrets.json'))).toBe(0o600);
});

it('makes no new secrets for data that only the lost ones would open', () => {
  const home = new Home(folder);
  mkdirSync(home.path('postgres'));

  expect(() => home.secrets()).toThrow(`${home.path('secrets.json')} is missing`);
  expect(existsSync(home.path('secrets.json'))).toBe(false);
});

it('is in use while a PostgreSQL runs on its data, and not when its number has come to somebody else', async () => {
  const data = join(folder, 'postgres');
  expect(isInUse(folder)).toBe(false);
  mkdirSync(data);
  writeFileSync(join(data, 'postmaster.pid'), `${process.pid}\n`);
  expect(isInUse(folder)).toBe(false);
  const running = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', data]);
  await once(running, 'spawn');
  writeFileSync(join(data, 'postmaster.pid'), `${running.pid}\n`);
  expect(isInUse(folder)).toBe(true);
  running.kill('SIGKILL');
  await once(running, 'exit');
  expect(isInUse(folder)).toBe(false);
});

it('closes to others what its processes write', () => {
  const home = new Home(folder);
  for (const own of ['logs', 'nats']) expect(modeOf(home.path(own))).toBe(0o700);
});
