import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NON_PUBLIC_IPV4 } from '@postern/outbound';
import { parseBlock } from '../address-block.js';
import { findNetworkPrograms, type NetworkPrograms } from '../network-programs.js';
import type { NetworkPolicy } from '../ruleset.js';
import { type SandboxNetwork, TenantNetworks } from '../tenant-network.js';

/** Whether this machine lets the user create networks; the tests of this folder need it. */
export const programs = findNetworkPrograms(undefined);
export const canCreateNetworks = process.getuid?.() === 0 && !('missing' in programs);

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

const policy = (changes: Partial<NetworkPolicy>): Omit<NetworkPolicy, 'closedUplinks'> => ({
  resolvers: [],
  refusedNetworks: NON_PUBLIC_IPV4,
  reachableNetworks: [],
  ownPublicAddresses: [],
  entryPoints: [],
  ...changes,
});

/** The networks of an installation of its own, with servers and clients in them. */
export class NetworkFixture {
  readonly #children: ChildProcess[] = [];

  private constructor(
    readonly home: string,
    readonly networks: TenantNetworks,
  ) {}

  static async start(changes: Partial<NetworkPolicy> = {}): Promise<NetworkFixture> {
    const home = await mkdtemp(join(tmpdir(), 'postern-network-'));
    const fixture = new NetworkFixture(home, await NetworkFixture.open(home));
    await fixture.networks.apply(policy(changes));
    return fixture;
  }

  static open(home: string): Promise<TenantNetworks> {
    return TenantNetworks.open({ home, pool: parseBlock('10.208.0.0/12'), programs: programs as NetworkPrograms });
  }

  apply(changes: Partial<NetworkPolicy>): Promise<void> {
    return this.networks.apply(policy(changes));
  }

  /** Listens at these addresses, `host:port`; without a network, in that of the machine. */
  async serve(network: SandboxNetwork | undefined, ...addresses: readonly string[]): Promise<void> {
    const child = this.#spawn(network, ['-e', SERVER, ...addresses]);
    await once(child.stdout!, 'data');
  }

  /** The answer of a server, or the code of the error. */
  connect(network: SandboxNetwork | undefined, host: string, port: number): Promise<string> {
    return this.run(network, [process.execPath, '-e', CLIENT, host, String(port)]);
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

  async stop(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.networks.dismantle();
    await rm(this.home, { recursive: true, force: true });
  }
}
