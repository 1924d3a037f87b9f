import { type ChildProcess, spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { markOf, userNetworkFile } from '@postern/load-balancer-client';
import { PASSAGE_PORT, Passage } from './passage.js';

/**
 * `node outside-main.js <platform home> <ip> <pasta>`: makes a network that the user owns, connects it to the internet, and passes
 * connections of its sandboxes on to this machine. Prints `ready`, or why it fails. Runs detached: it must outlive the runtime agent.
 */
const [, , home = '', ip = '', pasta = ''] = process.argv;
const UPLINK_AGAIN_MS = 1_000;

/** /run of the network has the namespaces of sandboxes, because only root may write to /run of the machine. */
const SETUP = `mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/netns && "$1" link set lo up &&
echo 1 > /proc/sys/net/ipv4/ip_forward && shift && exec "$@"`;

/** Not an address of the machine: connections to those must leave the network, where the rules judge them (RFC 7335). */
const ADDRESS = ['--address', '192.0.0.2', '--netmask', '29', '--gateway', '192.0.0.1'];

/** By default pasta opens the loopback interface of the machine to the network. */
const CLOSED = ['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none', '--no-map-gw'];

const environment = { PATH: process.env['PATH'] };

const network = spawn(
  'unshare',
  [
    ...['--user', '--map-root-user', '--net', '--mount', '--', '/bin/sh', '-c', SETUP, 'setup', ip],
    ...[process.execPath, join(import.meta.dirname, 'inside-main.js'), String(PASSAGE_PORT)],
  ],
  { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: environment },
);

let uplink: ChildProcess | undefined;
let isReady = false;
const reasons: string[] = [];
const keep = (text: Buffer): void => {
  if (!isReady) reasons.push(String(text).trim());
};

const end = (): void => {
  if (!isReady) process.stdout.write(`${reasons.at(-1) || 'the network ended'}\n`);
  uplink?.kill('SIGKILL');
  network.kill('SIGKILL');
  process.exit(1);
};

const record = (): void => {
  const marks = { inside: markOf(network.pid ?? 0), outside: markOf(process.pid), uplink: markOf(uplink?.pid ?? 0) };
  const file = userNetworkFile(home);
  writeFileSync(`${file}.new`, JSON.stringify(marks), { mode: 0o600 });
  renameSync(`${file}.new`, file);
};

/** Sandboxes lose their connections to the internet with the uplink, and nothing else. */
const connectUplink = (): void => {
  const started = spawn(
    pasta,
    ['--foreground', '--quiet', '--config-net', '--ipv4-only', ...ADDRESS, ...CLOSED, String(network.pid)],
    { stdio: ['ignore', 'ignore', 'pipe'], env: environment },
  );
  started.stderr.on('data', keep);
  started.once('error', ({ message }) => {
    reasons.push(message);
    end();
  });
  started.once('exit', () => (isReady ? setTimeout(connectUplink, UPLINK_AGAIN_MS) : end()));
  uplink = started;
  network.send({ uplink: started.pid });
};

const passage = new Passage();
network.on('message', (message, handle) => {
  if (message === 'listening') {
    passage.accept(handle as Server);
    connectUplink();
  } else if (message === 'connected') {
    record();
    if (!isReady) process.stdout.write('ready\n');
    isReady = true;
  }
});
network.stderr?.on('data', keep);
network.once('error', ({ message }) => reasons.push(message));
network.once('exit', end);
process.on('SIGTERM', end);
