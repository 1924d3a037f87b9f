import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstanceConnections } from '@postern/load-balancer-client';
import { NON_PUBLIC_IPV4 } from '@postern/outbound';
import { parseBlock } from '../address-block.js';
import { machineHost, type NetworkHost } from '../network-host.js';
import { findNetworkPrograms, findProgram, type NetworkPrograms } from '../network-programs.js';
import type { NetworkPolicy } from '../ruleset.js';
import { type SandboxNetwork, TenantNetworks } from '../tenant-network.js';
import { openUserHost } from '../user/user-host.js';

export const programs = findNetworkPrograms(undefined);
const isRoot = process.getuid?.() === 0;

const canOpenTun = (): boolean => {
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** Whether sandboxes of this process have networks. */
export const canCreateNetworks =
  !('missing' in programs) && (isRoot || (findProgram('pasta') !== undefined && canOpenTun()));

/** Who makes the networks. */
export type Maker = 'root' | 'an ordinary user';

/** An ordinary user makes networks in the same way on every machine; root lets one do it in tests. */
export const MAKERS: readonly Maker[] =
  'missing' in programs ? [] : isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];

const ORDINARY_UID = 21_077;

/** Some machines let only root open /dev/net/tun, unlike usual distributions: the user gets one, and folders to write to. */
const AS_USER = `folder=$1 uid=$2; shift 2
[ -e "$folder/tun" ] || mknod -m 666 "$folder/tun" c 10 200
mount --bind "$folder/tun" /dev/net/tun
until [ "$1" = -- ]; do mount -t tmpfs -o mode=1777 tmpfs "$1"; shift; done
exec setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@"`;

/**
 * The beginning of a command of an ordinary user, which it is already if this process is not root.
 * @param folder the user's. @param replaced folders that are empty for the command, and that it may write to.
 */
export const asOrdinaryUser = async (folder: string, replaced: readonly string[] = []): Promise<readonly string[]> => {
  if (!isRoot) return [];
  await chown(folder, ORDINARY_UID, ORDINARY_UID);
  const enter = ['unshare', '--mount', '--', '/bin/sh', '-ec', AS_USER, 'as', folder, String(ORDINARY_UID)];
  return [...enter, ...replaced, '--'];
};

/** Accepts connections to `address:port` arguments, and answers each with its own argument and the address of the client. */
const SERVER = `
  const { createServer } = require('node:net');
  const all = process.argv.slice(1).map(at => new Promise(resolve => {
    const [host, port] = [at.slice(0, at.lastIndexOf(':')), at.slice(at.lastIndexOf(':') + 1)];
    createServer(socket => {
      socket.on('error', () => {});
      socket.write(at + ' to ' + socket.remoteAddress + '\\n');
    }).listen(Number(port), host, resolve);
  }));
  Promise.all(all).then(() => console.log('ready'));`;

/** Prints the first line that the server sends, or the code of the error. */
const CLIENT = `
  const { connect } = require('node:net');
  const [host, port] = process.argv.slice(1);
  const started = Date.now();
  const socket = connect(Number(port), host);
  const end = text => { console.log(text.trim() + (Date.now() - started > 2000 ? ' late' : '')); process.exit(); };
  socket.setTimeout(5000, () => end('silent'));
  socket.on('data', data => end(String(data)));
  socket.on('error', error => end(error.code));`;

/** The rules without any exceptions, except these. */
export const policy = (changes: Partial<NetworkPolicy>): Omit<NetworkPolicy, 'closedUplinks'> => ({
  resolvers: [],
  refusedNetworks: NON_PUBLIC_IPV4,
  reachableNetworks: [],
  ownAddresses: [],
  ownPublicAddresses: [],
  entryPoints: [],
  opensSandboxes: false,
  ...changes,
});

/** The networks of an installation of its own, with servers and clients in them. */
export class NetworkFixture {
  readonly #children: ChildProcess[] = [];
  readonly #connections: InstanceConnections;

  private constructor(
    readonly home: string,
    readonly networks: TenantNetworks,
    readonly host: NetworkHost,
  ) {
    this.#connections = new InstanceConnections(home);
  }

  /** @param former the home of an earlier fixture. */
  static async start(
    maker: Maker,
    changes: Partial<NetworkPolicy> = {},
    former: string | undefined = undefined,
  ): Promise<NetworkFixture> {
    const home = former ?? (await mkdtemp(join(tmpdir(), 'postern-network-')));
    const host =
      maker === 'root'
        ? machineHost(programs as NetworkPrograms)
        : await openUserHost(home, programs as NetworkPrograms, await asOrdinaryUser(home));
    const fixture = new NetworkFixture(home, await NetworkFixture.#open(home, host), host);
    await fixture.networks.apply(policy(changes));
    return fixture;
  }

  static #open(home: string, host: NetworkHost, pool = '10.208.0.0/12'): Promise<TenantNetworks> {
    return TenantNetworks.open({ home, pool: parseBlock(pool), host });
  }

  /** The same networks, as a process opens them that starts later. */
  reopen(pool?: string): Promise<TenantNetworks> {
    return NetworkFixture.#open(this.home, this.host, pool);
  }

  apply(changes: Partial<NetworkPolicy>): Promise<void> {
    return this.networks.apply(policy(changes));
  }

  /** Listens at these addresses, `host:port`; without a network, in that of the machine. */
  async serve(network: SandboxNetwork | undefined, ...addresses: readonly string[]): Promise<void> {
    const child = this.#spawn(network, ['-e', SERVER, ...addresses]);
    await once(child.stdout!, 'data');
  }

  /** The answer of a server, or the code of the error; without a network, as the load balancer connects to instances. */
  connect(network: SandboxNetwork | undefined, host: string, port: number): Promise<string> {
    if (!network) return this.#connectAsBalancer(host, port);
    return this.run(network, [process.execPath, '-e', CLIENT, host, String(port)]);
  }

  #connectAsBalancer(host: string, port: number): Promise<string> {
    return new Promise(resolve =>
      this.#connections.open({ host, port }, 5_000, (error, socket) => {
        if (error) resolve(error.code ?? error.message);
        socket?.once('data', data => {
          socket.destroy();
          resolve(String(data).trim());
        });
      }),
    );
  }

  run(network: SandboxNetwork | undefined, argv: readonly string[]): Promise<string> {
    const [program = '', ...args] = network ? network.wrap(argv) : argv;
    return new Promise(resolve =>
      execFile(program, args, { timeout: 20_000 }, (_, output, errors) => resolve((output + errors).trim())),
    );
  }

  #spawn(network: SandboxNetwork | undefined, args: readonly string[]): ChildProcess {
    const argv = [process.execPath, ...args];
    const [program = '', ...rest] = network ? network.wrap(argv) : argv;
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children.push(child);
    return child;
  }

  endProcesses(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.#connections.close();
  }

  async stop(): Promise<void> {
    this.endProcesses();
    await this.networks.dismantle();
    await rm(this.home, { recursive: true, force: true });
  }
}
