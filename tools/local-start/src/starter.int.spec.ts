import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { databaseRuns, enterHome, leaveHome, starterFile, untilUnused } from './starter.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-starter-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const steps: string[] = [];
const unused = () => untilUnused(folder, step => steps.push(step));

const sleeper = async (...args: string[]) => {
  const process_ = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ...args]);
  await once(process_, 'spawn');
  const end = async () => {
    process_.kill('SIGKILL');
    await once(process_, 'exit');
  };
  return { pid: process_.pid ?? 0, end };
};

it('detects a PostgreSQL that runs on its data, and is not misled by a reused process id', async () => {
  const data = join(folder, 'postgres');
  expect(databaseRuns(folder)).toBe(false);
  mkdirSync(data);
  writeFileSync(join(data, 'postmaster.pid'), `${process.pid}\n${data}\n`);
  expect(databaseRuns(folder)).toBe(false);
  const running = await sleeper(data);
  writeFileSync(join(data, 'postmaster.pid'), `${running.pid}\n${data}\n`);
  expect(databaseRuns(folder)).toBe(true);
  await running.end();
  expect(databaseRuns(folder)).toBe(false);
});

it('refuses a second start while the first one runs, and allows it afterwards', async () => {
  enterHome(folder, 0);
  await expect(unused()).rejects.toThrow(`Postern already runs in ${folder}`);
  leaveHome(folder);
  await expect(unused()).resolves.toBeUndefined();
});

it('waits after a kill of the starter until its guard has stopped the remaining processes', async () => {
  const guard = await sleeper();
  const starter = await sleeper();
  await starter.end();
  writeFileSync(starterFile(folder), JSON.stringify({ pid: starter.pid, guard: guard.pid }));
  const waiting = unused().then(() => 'unused');
  expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits');
  await guard.end();
  expect(await waiting).toBe('unused');
  expect(steps).toContain('waiting for the processes of an earlier start to end');
});

it('is not blocked by a starter whose process id has been reused', async () => {
  writeFileSync(starterFile(folder), JSON.stringify({ pid: process.pid, startedAt: '1', guard: 0 }));
  await expect(unused()).resolves.toBeUndefined();
});
