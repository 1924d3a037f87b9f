import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from '@nats-io/transport-node';
import { findNatsServer, freePort, type NatsServer, spawnNats, waitFor } from '@postern/testing';
import { HeldConnection } from './held-connection.js';
import { holderOfPort } from './port-holder.js';
import { restartOnExit } from './restart-on-exit.js';
import { watchJetStream } from './watch-jetstream.js';

const EVERY_MS = 300;
const MIB = 1024 ** 2;
const PAGE_BYTES = 4_096;

let folder: string;
let nats: NatsServer;
let messages: string[];
let endings: (() => Promise<unknown>)[];

/** Starts the release that hangs, which Debian 12 contains. */
const start = async (storeDir: string, args: string[] = []): Promise<void> => {
  const { path: program } = await findNatsServer({ version: '2.9' });
  const port = await freePort();
  const server = await spawnNats({ program, port, storeDir, args, onLogLine: () => undefined, stopGraceMs: 500 });
  nats = server;
  endings.push(() => server.stop());
};

const watch = (storeDir: string): void => {
  const port = Number(new URL(nats.url).port);
  endings.push(restartOnExit(nats, { name: 'NATS', port, log: line => messages.push(line) }));
  endings.push(watchJetStream(nats, { storeDir, everyMs: EVERY_MS, log: line => messages.push(line) }));
};

/** On a busy machine, a hanging NATS may look busy for some time. */
const actions = () => messages.filter(line => !line.includes('NATS is busy'));

/** Asked over a new connection. */
const answers = async (): Promise<boolean> => {
  const connection = await connect({ servers: nats.url, reconnect: false, timeout: 1_000 }).catch(() => undefined);
  const answer = await connection?.request('$JS.API.INFO', '', { timeout: 1_000 }).catch(() => undefined);
  await connection?.close();
  return answer !== undefined && answer.json<{ error?: unknown }>().error === undefined;
};
const restarted = (before: number) =>
  waitFor(async () => nats.pid !== before && (await answers()), { timeoutMs: 30_000, describe: 'another NATS' });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-jetstream-'));
  messages = [];
  endings = [];
});

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  rmSync(folder, { recursive: true, force: true });
});

it('kills a NATS that has stopped responding, and it is restarted, each time this happens', async () => {
  await start(join(folder, 'store'));
  watch(join(folder, 'store'));
  for (const times of [1, 2]) {
    const { pid } = nats;
    process.kill(pid, 'SIGSTOP');
    await restarted(pid);
    await waitFor(() => actions().length === 2 * times, {
      timeoutMs: 30_000,
      describe: 'the watch to record the answers',
    });
  }
  const killed = expect.stringMatching(/^JetStream has not answered 3 times/);
  expect(actions()).toEqual([killed, 'JetStream answers again', killed, 'JetStream answers again']);
}, 60_000);

it('treats an error of JetStream as no response', async () => {
  const settings = join(folder, 'nats.conf');
  writeFileSync(settings, 'accounts { plain { users: [{ user: one, password: two }] } }\nno_auth_user: one\n');
  await start(join(folder, 'store'));
  const heldAnswers = async () => {
    const held = new HeldConnection({ url: nats.url });
    endings.push(() => held.close());
    // Until it is connected, the greeting of the server counts.
    await pause(500);
    return held.jetStreamAnswers(1_000);
  };
  expect(await heldAnswers()).toBe(true);
  await start(join(folder, 'other'), ['-c', settings]);
  expect(await heldAnswers()).toBe(false);
});

/** Connections that send nothing; each is replaced when the server closes it. */
const flood = (count: number): void => {
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = (): void => {
    const socket = dial(Number(new URL(nats.url).port), '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isOver) setTimeout(open, 20);
    });
  };
  for (let number = 0; number < count; number += 1) open();
  endings.push(async () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
};

it('does not restart NATS during a flood of connections that do not authenticate, and connected clients go on', async () => {
  const settings = join(folder, 'nats.conf');
  writeFileSync(
    settings,
    'max_connections: 100\nauthorization { users: [{ user: one, password: two }], timeout: 1 }\nno_auth_user: one\n',
  );
  await start(join(folder, 'store'), ['-c', settings]);
  const { pid } = nats;
  watch(join(folder, 'store'));
  const client = await connect({ servers: nats.url });
  endings.push(() => client.close());
  await pause(500);
  flood(400);
  await waitFor(async () => !(await answers()), { describe: 'the limit of connections' });
  for (let round = 0; round < 10; round += 1) {
    await pause(EVERY_MS);
    await client.flush();
  }
  expect(messages.filter(line => line.includes('NATS is restarted'))).toEqual([]);
  expect(nats.pid).toBe(pid);
}, 60_000);

/** A process in place of NATS that accepts connections and never answers. */
const silentServer = async (afterListening: string) => {
  const port = await freePort();
  const program = `require('net').createServer().listen(${port}, '127.0.0.1', () => { ${afterListening} })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
  endings.push(async () => void child.kill('SIGKILL'));
  await waitFor(() => holderOfPort(port));
  let kills = 0;
  const server = {
    pid: child.pid ?? 0,
    url: `nats://127.0.0.1:${port}`,
    isRunning: true,
    kill: async () => void kills++,
  };
  endings.push(watchJetStream(server, { storeDir: folder, everyMs: EVERY_MS, log: line => messages.push(line) }));
  return { kills: () => kills };
};

it('does not kill a server that does not answer because it is busy', async () => {
  const { kills } = await silentServer(
    'setInterval(() => { for (const end = Date.now() + 200; Date.now() < end; ); }, 1)',
  );
  await pause(10 * EVERY_MS);
  expect(messages).toEqual(['JetStream does not answer in time, but NATS is busy: it is not restarted']);
  expect(kills()).toBe(0);
});

it('kills a server that neither answers nor works', async () => {
  const { kills } = await silentServer('');
  await waitFor(() => kills() > 0, { timeoutMs: 10_000 });
  expect(messages[0]).toMatch(/^JetStream has not answered 3 times/);
});

it('names the process that has taken the port of a killed NATS, and restarts NATS when the port is free', async () => {
  await start(join(folder, 'store'));
  const port = Number(new URL(nats.url).port);
  watch(join(folder, 'store'));
  process.kill(nats.pid, 'SIGKILL');
  await waitFor(() => !nats.isRunning);
  const stranger = spawn(process.execPath, ['-e', `require('net').createServer().listen(${port}, '127.0.0.1')`]);
  endings.push(async () => void stranger.kill('SIGKILL'));
  const expected = `process ${stranger.pid} (${process.execPath}`;
  await waitFor(() => messages.some(line => line.startsWith(expected)), { describe: 'the name of the process' });
  expect(messages.at(-1)).toContain(`of user ${process.getuid?.()} has taken port ${port}: end it; NATS starts again`);
  stranger.kill('SIGKILL');
  await waitFor(answers, { timeoutMs: 30_000 });
  expect(holderOfPort(port)).toContain(`process ${nats.pid} (`);
  expect(messages.filter(line => line.startsWith(expected))).toHaveLength(1);
}, 60_000);

it('ends a NATS that does not respond to SIGTERM', async () => {
  await start(join(folder, 'store'));
  process.kill(nats.pid, 'SIGSTOP');
  await nats.stop();
  expect(nats.isRunning).toBe(false);
}, 60_000);

const mount = (disk: string): boolean => {
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${128 * MIB}`, 'none', disk], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
};

const resize = (disk: string, bytes: number) =>
  execFileSync('mount', ['-o', `remount,size=${bytes}`, disk], { stdio: 'pipe' });

/** Fills the disk to the last byte. */
const fill = (disk: string) => {
  const { blocks, bfree, bsize } = statfsSync(disk);
  resize(disk, Math.ceil(((blocks - bfree) * bsize) / PAGE_BYTES + 1) * PAGE_BYTES);
};

/** Publishes to the stream until the server stops responding. */
const publishUntilSilent = async (): Promise<void> => {
  const connection = await connect({ servers: nats.url });
  const publish = (n: number) => connection.request('mail.sent', String(n).repeat(700), { timeout: 1_000 });
  try {
    await connection.request(
      '$JS.API.STREAM.CREATE.mail',
      JSON.stringify({ name: 'mail', subjects: ['mail.>'], storage: 'file', retention: 'limits', num_replicas: 1 }),
    );
    await publish(0);
    fill(join(folder, 'disk'));
    for (let n = 1; n < 200; n += 1) await publish(n);
  } catch {
    // The expected end: a publish timed out.
  } finally {
    await connection.close();
  }
};

const mountable = process.getuid?.() === 0 && process.platform === 'linux';

(mountable ? describe : describe.skip)('a full disk', () => {
  it('stops JetStream from responding, and NATS is restarted as soon as there is space', async () => {
    const disk = join(folder, 'disk');
    expect(mount(disk)).toBe(true);
    endings.push(async () => execFileSync('umount', ['--lazy', disk]));
    await start(join(disk, 'store'));
    await publishUntilSilent();
    expect(await answers()).toBe(false);

    watch(join(disk, 'store'));
    const { pid } = nats;
    await waitFor(() => actions().length > 0, { timeoutMs: 30_000, describe: 'the watch to record it' });
    expect(actions()).toEqual([expect.stringMatching(/the disk is full/)]);
    expect(nats.pid).toBe(pid);

    resize(disk, 128 * MIB);
    await restarted(pid);
    expect(actions().slice(1)).toEqual([expect.stringMatching(/NATS is restarted/)]);
  }, 60_000);
});
