import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  entranceOf,
  isRunning,
  recordedUserNetwork,
  type UserNetwork,
  userNetworkFile,
  userNetworkOf,
} from '@postern/load-balancer-client';
import type { NetworkHost } from '../network-host.js';
import { findProgram, type NetworkPrograms } from '../network-programs.js';
import { runProgram } from '../run-program.js';
import { addressOfPort, PASSAGE_PORT } from './passage.js';

const TUN = '/dev/net/tun';
const READY_WITHIN_MS = 20_000;
const END_WITHIN_MS = 5_000;
const CHECK_EVERY_MS = 20;

/** The compiled program, also if this file runs bundled or as TypeScript. */
const OUTSIDE = join(
  import.meta.dirname.replace(/\/(src|dist)(\/.*)?$/, '/dist'),
  'local-runtime/sandbox/network/user/outside-main.js',
);

/** A network in which an ordinary user is root: sandboxes have networks in it as root makes them in the network of the machine. */
export const userHost = (
  home: string,
  network: UserNetwork,
  programs: NetworkPrograms,
  as: readonly string[] = [],
): NetworkHost => {
  const { pid } = network.inside;
  const namespaces = `/proc/${pid}/root/run/netns`;
  const entrance = entranceOf(network);
  return {
    programs,
    namespaces,
    claims: claimsOf(home),
    run: (program, args, input) => {
      const enter = [programs.nsenter, ...entrance, `--target=${pid}`, '--net', '--mount', '--'];
      const [first = '', ...rest] = [...as, ...enter, program, ...args];
      return runProgram(first, rest, input);
    },
    enter: name => [...as, programs.nsenter, ...entrance, `--net=${namespaces}/${name}`, '--'],
    // Outside of the user's network, which has no other networks around it.
    turnOnForwarding: async () => [],
    isReachable: false,
    reached: ({ port }) => ({ host: addressOfPort(port), port: PASSAGE_PORT }),
    hasEnded: () => !isRunning(network.inside) || !isRunning(network.outside),
    end: () => endUserNetwork(home),
  };
};

/** The network that this home has now. */
export const existingUserHost = (home: string, programs: NetworkPrograms): NetworkHost | undefined => {
  const network = userNetworkOf(home);
  return network && userHost(home, network, programs);
};

/**
 * @param as the beginning of commands that makes them commands of an ordinary user, if this process is not one.
 * @throws with the reason if the machine does not let an ordinary user make a network.
 */
export const openUserHost = async (
  home: string,
  programs: NetworkPrograms,
  as: readonly string[] = [],
): Promise<NetworkHost> => {
  const existing = userNetworkOf(home);
  if (existing) return userHost(home, existing, programs, as);
  await endUserNetwork(home);
  const pasta = findProgram('pasta');
  if (pasta === undefined) throw new Error('pasta cannot be found (package passt)');
  // pasta of Debian 12 waits for ever without it.
  await access(TUN, constants.R_OK | constants.W_OK).catch(() => {
    throw new Error(`this user may not open ${TUN}`);
  });
  await mkdir(claimsOf(home), { recursive: true });
  await start([...as, process.execPath, OUTSIDE, home, programs.ip, pasta]);
  const network = userNetworkOf(home);
  if (!network) throw new Error('the network of the user ended at once');
  return userHost(home, network, programs, as);
};

/** Ends the network and with it all connections of its sandboxes; also what a killed process left of it. */
const endUserNetwork = async (home: string): Promise<void> => {
  const recorded = recordedUserNetwork(home);
  if (!recorded) return;
  const left = () => [recorded.uplink, recorded.outside, recorded.inside].filter(isRunning);
  const deadline = performance.now() + END_WITHIN_MS;
  while (left().length > 0 && performance.now() < deadline) {
    for (const { pid } of left()) kill(pid);
    await delay(CHECK_EVERY_MS);
  }
  await rm(userNetworkFile(home), { force: true });
};

const claimsOf = (home: string): string => join(home, 'boxes/networks');

const start = ([program = '', ...args]: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: '/',
      detached: true,
      env: { PATH: process.env['PATH'] },
    });
    const late = setTimeout(() => {
      child.kill('SIGTERM');
      reject(new Error(`the network of the user was not ready within ${READY_WITHIN_MS / 1_000} s`));
    }, READY_WITHIN_MS);
    const settle = (error?: Error) => {
      clearTimeout(late);
      child.stdout.destroy();
      child.unref();
      if (error) reject(error);
      else resolve();
    };
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += String(chunk);
      if (output.includes('\n')) settle(output === 'ready\n' ? undefined : new Error(reasonIn(output)));
    });
    child.once('error', settle);
    child.once('exit', () => settle(new Error('the network of the user ended')));
  });

const reasonIn = (output: string): string => {
  const reason = output.trim();
  return /^unshare: .*(not permitted|denied|No space)/i.test(reason)
    ? `this machine does not let an ordinary user create a user namespace with a network (${reason})`
    : reason;
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};
