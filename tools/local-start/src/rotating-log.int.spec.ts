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
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { RotatingLog } from './rotating-log.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'service.log');
const linesOf = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');

it('keeps every line in order across all files', () => {
  const log = new RotatingLog(file(), { bytes: 1_000, files: 100 });
  const written = Array.from({ length: 2_000 }, (_, n) => `line ${n}`);
  for (const line of written) log.write(line);
  log.end();

  const names = readdirSync(folder).sort((a, b) => Number(b.split('.')[2] ?? 0) - Number(a.split('.')[2] ?? 0));
  expect(names.length).toBeGreaterThan(10);
  expect(names.flatMap(linesOf)).toEqual(written);
});

it('has a bounded size: the oldest file is deleted', () => {
  const log = new RotatingLog(file(), { bytes: 1_000, files: 3 });
  for (let n = 0; n < 2_000; n += 1) log.write(`line ${n}`);
  log.end();

  expect(readdirSync(folder).sort()).toEqual(['service.log', 'service.log.1', 'service.log.2']);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(1_020);
  expect(linesOf('service.log').at(-1)).toBe('line 1999');
});

it('continues the file of an earlier start, readable by its owner only', () => {
  writeFileSync(file(), `${'x'.repeat(1_500)}\n`, { mode: 0o600 });
  const log = new RotatingLog(file(), { bytes: 1_000, files: 3 });
  log.write('the next start');
  log.end();

  expect(linesOf('service.log')).toEqual(['the next start']);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(`${file()}.1`).size).toBe(1_501);
});

it('writes again once the disk is writable', async () => {
  const missing = join(folder, 'not there yet');
  const log = new RotatingLog(join(missing, 'service.log'));
  log.write('lost');
  mkdirSync(missing);
  await waitFor(() => {
    log.write('kept');
    return existsSync(join(missing, 'service.log'));
  });
  log.end();
  expect(readFileSync(join(missing, 'service.log'), 'utf8')).toBe('kept\n');
});
