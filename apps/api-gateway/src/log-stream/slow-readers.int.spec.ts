import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { authenticateSession, followLogs } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-under-test.js';
import { USER, WORKSPACE } from '../testing/platform-call.js';

const SERVICE = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const MIB = 1024 * 1024;
const STREAM_RATE = 4 * MIB;
const WORKSPACE_RATE = 6 * MIB;
const STALLED_MS = 2_000;
const LINE_BYTES = 4_096;
/** Burst size, in seconds of the rate. */
const BURST_S = 2;
/** Bytes that a stream reads before it finds the budget spent. */
const READ_AT_ONCE = MIB / 2;

let gateway: GatewayProcess;
let isStopped = false;
/** Number of lines in the log; each is `LINE_BYTES` long and begins with its number. */
let length: number;
/** Number of lines read from the runtime. */
let read: number;
const open: Socket[] = [];

beforeAll(async () => {
  gateway = await startGatewayProcess({
    POSTERN_LOG_STREAM_BYTES_PER_SECOND: String(STREAM_RATE),
    POSTERN_LOG_STREAM_BYTES_PER_SECOND_PER_WORKSPACE: String(WORKSPACE_RATE),
    POSTERN_LOG_STREAM_STALLED_MS: String(STALLED_MS),
  });
}, 90_000);
afterAll(() => (isStopped ? undefined : gateway?.stop()));
beforeEach(() => {
  [length, read] = [1_000_000, 0];
  gateway.services.reset();
  const session = {
    user_id: USER,
    workspace_id: WORKSPACE,
    email: 'o@x.example',
    operator: false,
    role: 'owner' as const,
  };
  gateway.services.on(authenticateSession, () => session);
  gateway.services.on(followLogs, ({ after = '1-0', max_lines, max_bytes }) => {
    const from = Number(after.slice(2));
    const count = Math.max(0, Math.min(length - from, max_lines, Math.floor(max_bytes / LINE_BYTES)));
    read += count;
    const lines = Array.from({ length: count }, (_, index) => ({
      id: `1-${from + index + 1}`,
      timestamp: '2026-03-01T10:00:00.000Z',
      instance: 'web-1',
      stream: 'stdout' as const,
      message: `${from + index + 1} `.padEnd(LINE_BYTES, 'x'),
    }));
    return { lines, next: `1-${from + count}`, has_more: from + count < length, is_incomplete: false };
  });
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** A connection that reads only on demand. */
const follow = (lastEventId = '1-0') => {
  const socket = connect(gateway.port, '127.0.0.1');
  open.push(socket);
  let [text, bytes, closed] = ['', 0, false];
  socket.pause();
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    bytes += chunk.length;
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed = true;
  });
  socket.write(
    `GET /dashboard/api/web-services/${SERVICE}/logs/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\n` +
      `last-event-id: ${lastEventId}\r\nconnection: close\r\n\r\n`,
  );
  return {
    socket,
    bytes: () => bytes,
    closed: () => closed,
    text: () => text,
    /** The numbers of the lines whose events arrived completely. */
    numbers: () => [...text.matchAll(/"message":"(\d+) x*"\}/g)].map(([, number]) => Number(number)),
    lastId: () =>
      text
        .match(/id: (1-\d+)\r?\n(?=data: .*\n\n)/g)
        ?.at(-1)
        ?.slice(4)
        .trim(),
  };
};

it('closes the stream of a stalled reader, with the id from which it can continue, each line once', async () => {
  length = 6_000;
  const first = follow();
  await waitFor(() => read > 0, { describe: 'the beginning of the stream' });
  await pause(STALLED_MS * 4);
  first.socket.resume();
  await waitFor(() => first.closed(), { timeoutMs: 30_000, describe: 'the end of the stream' });
  expect(first.text()).toContain(': closed, because nothing was read for too long. Connect again with Last-Event-ID: ');
  const named = /Last-Event-ID: (1-\d+)/.exec(first.text())?.[1];
  const before = first.numbers();
  expect(named).toBe(`1-${before.at(-1)}`);

  const second = follow(named);
  second.socket.resume();
  await waitFor(() => second.numbers().at(-1) === length, { timeoutMs: 30_000, describe: 'the last line' });
  expect([...before, ...second.numbers()]).toEqual(Array.from({ length }, (_, index) => index + 1));
}, 90_000);

it('does not exceed its budget, neither per stream nor per workspace', async () => {
  const expectBudget = async (streams: readonly ReturnType<typeof follow>[], rate: number) => {
    const total = () => streams.reduce((sum, stream) => sum + stream.bytes(), 0);
    const startedAt = performance.now();
    for (const { socket } of streams) socket.resume();
    await waitFor(() => total() > (BURST_S + 4) * rate, { timeoutMs: 30_000, describe: 'more than the burst' });
    const seconds = (performance.now() - startedAt) / 1_000;
    for (const { socket } of streams) socket.destroy();
    expect(total()).toBeLessThan((BURST_S + seconds) * rate + streams.length * READ_AT_ONCE);
  };
  await expectBudget([follow()], STREAM_RATE);
  await expectBudget([follow(), follow(), follow(), follow()], WORKSPACE_RATE);
}, 90_000);

it('gives no new budget to readers that reconnect repeatedly', async () => {
  let bytes = 0;
  let connections = 0;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  for (; seconds() < 6; connections += 1) {
    const stream = follow();
    stream.socket.resume();
    await waitFor(() => stream.bytes() > 3 * MIB || seconds() > 6, { intervalMs: 5 });
    stream.socket.destroy();
    bytes += stream.bytes();
    await waitFor(() => stream.closed());
  }
  expect(bytes).toBeLessThan((BURST_S + seconds()) * WORKSPACE_RATE + connections * READ_AT_ONCE);
}, 60_000);

it('buffers at most 256 KiB of a log for a stalled reader', async () => {
  const stream = follow();
  let last = -1;
  await waitFor(
    () => {
      const isStill = read === last;
      last = read;
      return isStill && read > 0;
    },
    { timeoutMs: 30_000, intervalMs: 400, describe: 'the end of the reading' },
  );
  // Data in the kernel's buffers still arrives; the rest was buffered in the gateway.
  await gateway.stop();
  isStopped = true;
  stream.socket.resume();
  await waitFor(() => stream.closed(), { describe: 'the end of the connection' });
  expect(stream.bytes()).toBeGreaterThan(0);
  expect(read * LINE_BYTES - stream.bytes()).toBeLessThan(256 * 1024);
}, 60_000);
