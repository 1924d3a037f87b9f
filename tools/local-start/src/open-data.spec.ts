import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openDataOf } from './open-data.js';

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-open-'));
  home = join(folder, 'closed/home');
  mkdirSync(home, { recursive: true });
  chmodSync(folder, 0o755);
  process.env['POSTERN_OPEN_FOLDER'] = join(folder, 'open');
});
afterEach(() => {
  delete process.env['POSTERN_OPEN_FOLDER'];
  rmSync(folder, { recursive: true });
});

const close = () => chmodSync(join(folder, 'closed'), 0o700);

it('is the home itself if every user may enter it, or if Postern does not run as root', () => {
  expect(openDataOf(home, true)).toBe(home);
  close();
  expect(openDataOf(home, false)).toBe(home);
  expect(lstatSync(join(home, 'open'), { throwIfNoEntry: false })).toBeUndefined();
});

it("is a folder that every user may enter but not list, if root's home is closed", () => {
  close();
  const open = openDataOf(home, true);
  expect(open).toMatch(join(folder, 'open/homes/'));
  for (let path = open; path !== folder; path = join(path, '..')) expect(statSync(path).mode & 0o777).toBe(0o711);
  expect(openDataOf(home, true)).toBe(open);
});

it('contains the data that was in the home before it was closed', () => {
  mkdirSync(join(home, 'postgres'));
  writeFileSync(join(home, 'postgres/PG_VERSION'), '18');
  writeFileSync(join(home, 'secrets.json'), '{}');
  close();
  const open = openDataOf(home, true);
  expect(readFileSync(join(open, 'postgres/PG_VERSION'), 'utf8')).toBe('18');
  expect(statSync(join(home, 'secrets.json')).isFile()).toBe(true);
});

it('is not replaced by an empty one if it is missing', () => {
  close();
  rmSync(openDataOf(home, true), { recursive: true });
  expect(() => openDataOf(home, true)).toThrow('which is missing, and with it the data of this home');
});
