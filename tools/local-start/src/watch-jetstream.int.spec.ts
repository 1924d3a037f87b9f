import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from '@nats-io/transport-node';
import { findNatsServer, freePort, type NatsServer, spawnNats, waitFor } from '@postern/testing';
import { jetStreamAnswers } from './jetstream-probe.js';
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
  endings.push(restartOnExit(nats));
  endings.push(watchJetStream(nats, { storeDir, everyMs: EVERY_MS, log: line => messages.push(line) }));
};

const answers = () => jetStreamAnswers({ url: nats.url, withinMs: 1_000 });
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
    await waitFor(() => messages.length === 2 * times, {
      timeoutMs: 30_000,
      describe: 'the watch to record the answers',
    });
  }
  const killed = expect.stringMatching(/^JetStream has not answered 3 times/);
  expect(messages).toEqual([killed, 'JetStream answers again', killed, 'JetStream answers again']);
}, 60_000);

it('treats an error of JetStream as no response', async () => {
  const settings = join(folder, 'nats.conf');
  writeFileSync(settings, 'accounts { plain { users: [{ user: one, password: two }] } }\nno_auth_user: one\n');
  await start(join(folder, 'store'));
  expect(await answers()).toBe(true);
  await start(join(folder, 'other'), ['-c', settings]);
  expect(await answers()).toBe(false);
});

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
    await waitFor(() => messages.length > 0, { timeoutMs: 30_000, describe: 'the watch to record it' });
    expect(messages).toEqual([expect.stringMatching(/the disk is full/)]);
    expect(nats.pid).toBe(pid);

    resize(disk, 128 * MIB);
    await restarted(pid);
    expect(messages.slice(1)).toEqual([expect.stringMatching(/NATS is restarted/)]);
  }, 60_000);
});
