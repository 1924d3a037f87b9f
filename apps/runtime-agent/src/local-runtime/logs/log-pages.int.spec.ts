import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LogPageQuery } from '@postern/runtime';
import { redactor } from '../redactor.js';
import { LogStore, type LogStoreBounds } from './log-store.js';

const SERVICE = '0192f0c1-7c3a-7d31-9d4a-5a1b2c3d4e5f';
const QUICK = { linesPerSecond: 1_000_000, bytesPerSecond: 2 ** 30 };
const PAGE = { tail: 10, maxLines: 7, maxBytes: 100_000 };

describe('The pages of a log', () => {
  let home: string;
  let store: LogStore;
  const open = (bounds: Partial<LogStoreBounds> = {}) => new LogStore(home, redactor, { ...QUICK, ...bounds });

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-log-pages-'));
    store = open();
  });
  afterEach(async () => {
    await store.close();
    await rm(home, { recursive: true, force: true });
  });

  const write = async (...lines: string[]) => {
    const writer = store.writer(SERVICE, 'one', []);
    writer.write('stdout', lines.map(line => `${line}\n`).join(''));
    await writer.close();
  };
  const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);
  const page = async (after?: string, query: Partial<LogPageQuery> = {}) => {
    const found = await store.readPage(SERVICE, { ...PAGE, ...query, after });
    return { ...found, messages: found.lines.map(({ message }) => message) };
  };

  it('contain every line once, in the order in which they were stored, across segments and torn lines', async () => {
    store = open({ segmentBytes: 2_000 });
    const folder = join(home, 'logs', SERVICE);
    let next = (await page()).next;
    const messages: string[] = [];
    for (let from = 1; from <= 400; from += 20) {
      await write(...numbered(from, from + 19));
      const [last = ''] = (await readdir(folder)).sort().slice(-1);
      if (from % 60 === 1) await appendFile(join(folder, last), '[17');
      for (let hasMore = true; hasMore; ) {
        const read = await page(next);
        expect(read.lines.length).toBeLessThanOrEqual(PAGE.maxLines);
        expect(read.isIncomplete).toBe(false);
        messages.push(...read.messages);
        ({ next, hasMore } = read);
      }
    }
    expect((await readdir(folder)).length).toBeGreaterThan(5);
    expect(messages).toEqual(numbered(1, 400));
  });

  it('start with the last lines, and continue after any of them', async () => {
    await write(...numbered(1, 30));
    const first = await page();
    expect([first.messages, first.hasMore]).toEqual([numbered(21, 27), true]);
    expect(await page(first.next)).toMatchObject({ messages: numbered(28, 30), hasMore: false });
    expect((await page(first.lines[2]!.id)).messages).toEqual(numbered(24, 30));
    expect((await page(undefined, { tail: 1_000 })).messages).toEqual(numbered(1, 7));
  });

  it('of one instance contain its lines only, and begin at a time', async () => {
    store = open({ segmentBytes: 300 });
    const of = async (instance: string, ...lines: string[]) => {
      const writer = store.writer(SERVICE, instance, []);
      for (const line of lines) writer.write(line === 'line 4' ? 'stderr' : 'stdout', `${line}\n`);
      await writer.close();
    };
    await of('other', ...numbered(1, 20));
    await of('run', 'too early');
    await pause(5);
    const since = Date.now() / 1_000;
    await of('other', ...numbered(1, 20));
    const empty = await page(undefined, { instance: 'run', since });
    expect([empty.messages, empty.hasMore]).toEqual([[], false]);
    await of('run', ...numbered(1, 8));
    await of('other', ...numbered(1, 20));
    await of('run', 'line 9');
    const first = await page(undefined, { instance: 'run', since });
    expect([first.messages, first.hasMore]).toEqual([numbered(1, 7), true]);
    expect(first.lines.map(({ stream }) => stream)).toContain('stderr');
    expect(await page(first.next, { instance: 'run', since })).toMatchObject({
      messages: numbered(8, 9),
      hasMore: false,
    });
    expect((await page(empty.next, { instance: 'run', since })).messages).toEqual(numbered(1, 7));
  });

  it('of one instance end early after many lines of others, and continue', async () => {
    await write(...Array.from({ length: 700 }, () => 'x'.repeat(8_000)));
    const run = store.writer(SERVICE, 'run', []);
    run.write('stdout', 'done\n');
    await run.close();
    const query = { instance: 'run', since: 0 };
    const first = await page(undefined, query);
    expect([first.messages, first.hasMore]).toEqual([[], true]);
    expect(await page(first.next, query)).toMatchObject({ messages: ['done'], hasMore: false });
  });

  it('count the lines before and after their end, including those that were deleted', async () => {
    store = open({ segmentBytes: 2_000, totalBytes: 6_000 });
    await write(...numbered(1, 20));
    const first = await store.readPage(SERVICE, { ...PAGE, after: undefined, tail: 1_000, counted: true });
    expect(first.counts).toEqual({ before: 7, after: 13 });
    for (let from = 21; from <= 400; from += 20) await write(...numbered(from, from + 19));
    const second = await store.readPage(SERVICE, { ...PAGE, after: first.next, counted: true });
    expect(second.isIncomplete).toBe(true);
    const [oldest] = second.lines;
    expect(second.counts!.before - second.lines.length + 1).toBe(Number(oldest!.message.slice('line '.length)));
    expect(second.counts!.before + second.counts!.after).toBe(400);
    expect((await store.readPage(SERVICE, { ...PAGE, after: first.next })).counts).toBeUndefined();
  });

  it('are bounded in bytes, but contain at least one line', async () => {
    await write('x'.repeat(5_000), ...numbered(2, 3));
    const first = await page(undefined, { maxBytes: 1_000 });
    expect([first.lines.length, first.hasMore]).toEqual([1, true]);
    expect((await page(first.next, { maxBytes: 1_000 })).messages).toEqual(numbered(2, 3));
  });

  it('report when the lines after a place may have been deleted', async () => {
    store = open({ segmentBytes: 500, totalBytes: 1_500 });
    await write('first');
    const { next } = await page();
    for (let from = 2; from <= 60; from += 5) await write(...numbered(from, from + 4));
    const read = await page(next, { maxLines: 1_000 });
    expect([read.isIncomplete, read.messages.at(-1)]).toEqual([true, 'line 61']);
    expect((await page(read.next)).isIncomplete).toBe(false);
  });

  it('accept any place from a reader, even an invalid one', async () => {
    await write(...numbered(1, 3));
    const { next } = await page();
    const [segment = '', byte] = next.split('-');
    expect((await page(`${segment}-${Number(byte) - 3}`)).messages).toEqual([]);
    expect((await page(`${segment}-999999999999`)).messages).toEqual([]);
    expect((await page('99999999999999-0')).messages).toEqual([]);
    expect((await page('0-0')).messages).toEqual(numbered(1, 3));
    expect((await page('../../etc/passwd')).messages).toEqual(numbered(1, 3));
  });

  it('of a service without output start with its first line', async () => {
    const { next, lines } = await page();
    expect(lines).toEqual([]);
    await write('first');
    expect((await page(next)).messages).toEqual(['first']);
  });
});
