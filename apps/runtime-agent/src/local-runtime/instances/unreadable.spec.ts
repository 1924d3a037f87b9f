import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { environmentOf, processEntry } from '../../infrastructure/process-table.js';
import { InstanceRecords } from './instance-records.js';

const setMostHandles = (soft: string) =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${soft}:`], { stdio: 'ignore' });
const mostHandles = (): string =>
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile', '--output=SOFT', '--noheadings', '--raw'])
    .toString()
    .trim();

const withoutFreeHandles = async (work: () => Promise<void>): Promise<void> => {
  const before = mostHandles();
  setMostHandles(String(Math.max(...readdirSync('/proc/self/fd').map(Number)) + 20));
  const held: number[] = [];
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    // All file descriptors are in use.
  }
  try {
    await work();
  } finally {
    for (const handle of held) closeSync(handle);
    setMostHandles(before);
  }
};

it('a process that cannot be read does not count as ended', () =>
  withoutFreeHandles(async () => {
    expect(() => processEntry(process.pid)).toThrow('EMFILE');
    await expect(environmentOf(process.pid)).rejects.toThrow('EMFILE');
  }));

it('a process that has ended has no entry', async () => {
  expect(processEntry(2 ** 22 + 1)).toBeUndefined();
  expect(await environmentOf(2 ** 22 + 1)).toBeUndefined();
});

it('the list of instances fails if a record cannot be read', async () => {
  const home = mkdtempSync(join(tmpdir(), 'postern-instances-'));
  const instanceRecords = new InstanceRecords(home);
  try {
    expect(await instanceRecords.list()).toEqual([]);
    mkdirSync(join(instanceRecords.folder, 'without-record'), { recursive: true });
    expect(await instanceRecords.list()).toEqual([]);
    mkdirSync(join(instanceRecords.folder, 'unreadable', 'record.json'), { recursive: true });
    await expect(instanceRecords.list()).rejects.toThrow('EISDIR');
  } finally {
    rmSync(home, { recursive: true });
  }
});
