import { appendFile, mkdir, mkdtemp, readdir, rm, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LogQuery } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { redactor } from '../redactor.js';
import { LogStore, type LogStoreBounds } from './log-store.js';
import { encodeLine } from './stored-line.js';

const SERVICE = '0192f0c1-7c3a-7d31-9d4a-5a1b2c3d4e5f';
const everything = { tail: 10_000, since: undefined };

describe('The log of a web service', () => {
  let home: string;
  let folder: string;
  const stores: LogStore[] = [];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-logs-'));
    folder = join(home, 'logs', SERVICE);
  });

  afterEach(async () => {
    await Promise.all(stores.splice(0).map(store => store.close()));
    await rm(home, { recursive: true, force: true });
  });

  const open = (bounds: Partial<LogStoreBounds> = {}): LogStore => {
    const store = new LogStore(home, redactor, bounds);
    stores.push(store);
    return store;
  };
  const messages = async (store: LogStore, query: LogQuery = everything) =>
    (await store.read(SERVICE, query)).map(({ message }) => message);
  const segments = async () => (await readdir(folder)).sort();

  it('contains the lines of all instances, oldest first, each with its instance and stream', async () => {
    const store = open();
    const [one, two] = [store.writer(SERVICE, 'one', []), store.writer(SERVICE, 'two', [])];
    one.write('stdout', 'a');
    two.write('stderr', 'b\n');
    one.write('stdout', Buffer.from('c\n'));
    one.write('build', 'd');
    await Promise.all([one.close(), two.close()]);

    const lines = await store.read(SERVICE, everything);

    expect(lines.map(({ instance, stream, message }) => [instance, stream, message])).toEqual([
      ['two', 'stderr', 'b'],
      ['one', 'stdout', 'ac'],
      ['one', 'build', 'd'],
    ]);
    expect(Math.abs(Date.now() - lines[0]!.timestamp.getTime())).toBeLessThan(10_000);
  });

  it('is searched completely, ignoring case, for the last lines that contain a text', async () => {
    const store = open();
    const writer = store.writer(SERVICE, 'one', []);
    writer.write('stdout', 'Order 1 failed\nother\norder 2\nORDER 3\nother\n');
    await writer.close();

    expect(await messages(store, { ...everything, search: 'oRDer' })).toEqual(['Order 1 failed', 'order 2', 'ORDER 3']);
    expect(await messages(store, { tail: 1, since: undefined, search: 'order' })).toEqual(['ORDER 3']);
    expect(await messages(store, { ...everything, search: '.*' })).toEqual([]);
  });

  it('is empty for a service without output, and rejects ids that contain a path', async () => {
    const store = open();

    expect(await messages(store)).toEqual([]);
    await expect(store.read('../../etc', everything)).rejects.toThrow('is not a valid web service id');
    expect(() => store.writer('a/b', 'one', [])).toThrow('is not a valid web service id');
  });

  it('masks the secrets of an instance, however its output is split into chunks', async () => {
    const store = open();
    const writer = store.writer(SERVICE, 'one', ['hunter22']);
    for (const character of 'the password is hunter22, not hunter2\n') writer.write('stdout', character);
    await writer.close();

    expect(await messages(store)).toEqual(['the password is ********, not hunter2']);
  });

  it('can be read by another store while it is written, up to the last batch', async () => {
    const writer = open().writer(SERVICE, 'one', []);
    const elsewhere = open();
    for (let index = 0; index < 500; index += 1) writer.write('stdout', `line ${index}\n`);

    const seen = await waitFor(async () => {
      const lines = await messages(elsewhere);
      return lines.length === 500 ? lines : undefined;
    });

    expect(seen[499]).toBe('line 499');
    await writer.close();
  });

  it('returns the last lines, and only those within a time range', async () => {
    await mkdir(folder, { recursive: true });
    const at = (second: number, message: string) =>
      encodeLine({ timestamp: new Date(second * 1_000), instance: 'one', stream: 'stdout', message });
    const old = Array.from({ length: 3_000 }, (_, index) => at(1_000 + index, `old ${index}`));
    const recent = Array.from({ length: 3_000 }, (_, index) => at(4_000 + index, `recent ${index}`));
    await writeFile(join(folder, '00000001000000.jsonl'), old.join(''));
    await writeFile(join(folder, '00000004000000.jsonl'), recent.join(''));
    const store = open();

    expect(await messages(store, { tail: 2, since: undefined })).toEqual(['recent 2998', 'recent 2999']);
    expect(await messages(store, { tail: 10_000, since: 6_998 })).toEqual(['recent 2998', 'recent 2999']);
    expect(await messages(store, { tail: 1, since: 6_000 })).toEqual(['recent 2999']);
    expect(await messages(store, { tail: 10_000, since: 9_000 })).toEqual([]);
    expect(await messages(store, { tail: 2, since: undefined, until: 6_000 })).toEqual(['recent 1999', 'recent 2000']);
    expect(await messages(store, { tail: 2, since: undefined, streams: ['build'] })).toEqual([]);
    const across = await messages(store, { tail: 3_002, since: undefined });
    expect([across.length, across[0], across[1], across[2]]).toEqual([3_002, 'old 2998', 'old 2999', 'recent 0']);
    expect((await messages(store, { tail: 10_000, since: 3_000 })).length).toBe(4_000);
  });

  it('returns its last 100 lines with at most 50 ms of processor time when it is full', async () => {
    await mkdir(folder, { recursive: true });
    const batch = (segment: number) =>
      Array.from({ length: 21_000 }, (_, index) =>
        encodeLine({
          timestamp: new Date(segment * 1e6 + index),
          instance: 'one',
          stream: 'stdout',
          message: `${index} ${'x'.repeat(160)}`,
        }),
      ).join('');
    for (let segment = 10; segment < 26; segment += 1)
      await writeFile(join(folder, `000000${segment}000000.jsonl`), batch(segment));
    const store = open();
    const timesMs: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = process.cpuUsage();
      expect((await messages(store, { tail: 100, since: undefined })).length).toBe(100);
      const { user, system } = process.cpuUsage(before);
      timesMs.push((user + system) / 1_000);
    }

    expect((await stat(join(folder, '00000010000000.jsonl'))).size).toBeGreaterThan(4_000_000);
    expect(Math.min(...timesMs)).toBeLessThan(50);
  });

  it('continues after a kill: a torn line is skipped, and nothing is appended to it', async () => {
    const store = open();
    const writer = store.writer(SERVICE, 'one', []);
    writer.write('stdout', 'before\n');
    await writer.close();
    const [segment] = await segments();
    await appendFile(join(folder, segment!), '[1700000000000,"one","stdout","torn o');

    expect(await messages(store)).toEqual(['before']);
    const next = open().writer(SERVICE, 'one', []);
    next.write('stdout', 'after\n');
    await next.close();

    expect(await messages(store)).toEqual(['before', 'after']);
    expect(await segments()).toEqual([segment]);
  });

  it('consists of segments of a bounded size, and deletes the oldest ones', async () => {
    const store = open({ segmentBytes: 10_000, totalBytes: 50_000 });
    const writer = store.writer(SERVICE, 'one', []);
    for (let index = 0; index < 200; index += 1) {
      writer.write('stdout', `${index} ${'x'.repeat(990)}\n`);
      if (index % 5 === 4) await store.read(SERVICE, { tail: 1, since: undefined });
    }
    await writer.close();

    const sizes = await Promise.all((await segments()).map(async name => (await stat(join(folder, name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(65_000);
    expect(Math.max(...sizes)).toBeLessThan(16_000);
    const lines = await messages(store);
    expect(lines.length).toBeGreaterThan(35);
    expect(lines.at(-1)).toMatch(/^199 x/);
  });

  it('deletes expired lines, also when nothing is written any more', async () => {
    const store = open({ maxAgeMs: 60_000 });
    const writer = store.writer(SERVICE, 'one', []);
    writer.write('stdout', 'old\n');
    await writer.close();
    await store.sweep();
    expect(await messages(store)).toEqual(['old']);
    const [segment] = await segments();
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(join(folder, segment!), longAgo, longAgo);

    await store.sweep();

    expect(await messages(store)).toEqual([]);
  });

  it('continues in a new segment when another process has deleted the one in use', async () => {
    const store = open();
    const writer = store.writer(SERVICE, 'one', []);
    writer.write('stdout', 'lost with its segment\n');
    await store.read(SERVICE, everything);
    await open().remove(SERVICE);

    writer.write('stdout', 'kept\n');
    // Writes the line before `close`, whose batch would also contain the loss messages.
    await store.read(SERVICE, { tail: 0, since: undefined });
    await writer.close();

    expect(await messages(store)).toEqual(['kept']);
  });

  it('stores no output of a removed service, also of writers that are still open', async () => {
    const store = open();
    const writer = store.writer(SERVICE, 'one', []);
    writer.write('stdout', 'before\n');
    await store.remove(SERVICE);

    writer.write('stdout', 'after\nwithout a line end');
    await writer.close();

    expect(await messages(store)).toEqual([]);
    await expect(segments()).rejects.toThrow('ENOENT');
  });

  it('drops lines above the rate limit, and reports how many', async () => {
    const store = open({ linesPerSecond: 100 });
    const writer = store.writer(SERVICE, 'one', []);
    for (let index = 0; index < 5_000; index += 1) writer.write('stdout', `line ${index}\n`);
    await writer.close();

    const lines = await store.read(SERVICE, everything);
    const kept = lines.filter(({ stream }) => stream === 'stdout').length;
    const losses = lines.filter(({ stream }) => stream === 'platform').map(({ message }) => message);
    expect(new Set(lines.map(({ instance }) => instance))).toEqual(new Set(['one']));
    expect(kept).toBeGreaterThanOrEqual(400);
    expect(kept).toBeLessThan(1_000);
    expect(losses).toEqual([expect.stringContaining(`${5_000 - kept} log lines were dropped`)]);
  });

  it('limits the lines in memory while the disk is slow, and reports how many it dropped', async () => {
    const store = open({ pendingBytes: 10_000 });
    const writer = store.writer(SERVICE, 'one', []);
    for (let index = 0; index < 100; index += 1) writer.write('stdout', `${'x'.repeat(1_000)}\n`);
    await writer.close();

    const lines = await messages(store);
    expect(lines.length).toBe(10);
    expect(lines.some(message => /^9\d log lines were dropped/.test(message))).toBe(true);
  });

  it('loses lines while the disk is full, throws nothing, and reports how many once there is space', async () => {
    await mkdir(folder, { recursive: true });
    const full = join(folder, '00000000000001.jsonl');
    await symlink('/dev/full', full);
    const store = open();
    const writer = store.writer(SERVICE, 'one', []);
    for (let index = 0; index < 7; index += 1) writer.write('stdout', `lost ${index}\n`);
    await store.read(SERVICE, { tail: 0, since: undefined });
    await unlink(full);

    writer.write('stdout', 'kept\n');
    // Lines are sorted by time. The loss is reported later, with the time at which it occurred.
    await pause(2);
    await writer.close();

    expect(await messages(store)).toEqual(['7 log lines were lost: they could not be written (ENOSPC)', 'kept']);
  });
});
