import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { RunEnd } from '../commands.js';
import type { ServicePlan } from '../service-plan.js';

/** A TCP address. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The network of the machine, as the suite sees it from outside the sandboxes. */
export interface NetworkHarness {
  /** Whether each sandbox has a network of its own. */
  readonly hasNetworks: boolean;
  /**
   * Addresses of the machine, of its platform and of private networks that sandboxes must not reach. A server listens at those of the
   * machine.
   */
  forbiddenAddresses(): Promise<readonly Address[]>;
  /** What the API gateway answers to a GET request. */
  readonly gatewayAnswer: string;
  /** The addresses of the instances of a web service. */
  addressesOf(plan: ServicePlan): Promise<readonly Address[]>;
}

export interface NetworkContext {
  harness(): NetworkHarness;
  victim(): ServicePlan;
  /** The output of a shell command in an instance of another web service. */
  printed(command: string): Promise<string>;
  /** The output of a shell command in a build. */
  loggedBy(command: string): Promise<string>;
  /** The output of a shell command that runs once. */
  ran(command: string): Promise<string>;
  /** Starts a web service and returns its plan. */
  running(server: string, changes?: Partial<ServicePlan>): Promise<ServicePlan>;
  /** The answer to a visitor of the web service. */
  visited(plan: ServicePlan, path?: string): Promise<string>;
}

/** A command that runs a Node.js program, whose text must contain no double quote and no dollar sign. */
const node = (program: string): string => `node -e "${program.replaceAll(/\s*\n\s*/g, ' ')}"`;

/** Prints the outcome of a connection to each address: the code of the error, or that it was open. */
const connectTo = (addresses: readonly Address[]): string =>
  node(`
    const attempts = ${JSON.stringify(addresses).replaceAll('"', "'")}.map(({ host, port }) => new Promise(resolve => {
      const began = Date.now();
      const socket = require('node:net').connect(port, host);
      const end = text => { socket.destroy(); resolve(Date.now() - began > 5000 ? text + ' late' : text); };
      socket.setTimeout(15000, () => end('silent'));
      socket.on('connect', () => end('open'));
      socket.on('error', error => end(error.code));
    }));
    Promise.all(attempts).then(codes => console.log('codes ' + codes.join(' ')));`);

const codesIn = (output: string): readonly string[] => (/^codes (.*)$/m.exec(output)?.[1] ?? output).split(' ');

const REFUSED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/;

/** Binds what other web services and the platform use, counts connections, and releases everything after a while. */
const squatter = (ports: readonly number[]): string => `
  import { createServer } from 'node:http';
  import net from 'node:net';
  let bound = 0, captured = 0;
  const hold = (...where) => {
    const server = net.createServer(socket => { captured += 1; socket.end('captured'); });
    server.on('error', () => {});
    server.listen(...where, () => { bound += 1; });
  };
  for (const port of ${JSON.stringify(ports)}) hold(port, '0.0.0.0');
  for (let port = 30_000; port < 32_700; port += 1) hold(port, '0.0.0.0');
  for (let port = 20_000; port < 32_000; port += 1) hold({ path: '\\0postern-load-balancer-' + port });
  createServer((_, response) => response.end(bound + ' ' + captured)).listen(Number(process.env.PORT));
  process.on('SIGTERM', () => process.exit(0));
`;

const answering = (text: string, listen: string): string => `
  import { createServer } from 'node:http';
  createServer(({ socket }, response) => response.end('${text} to ' + socket.remoteAddress)).listen(${listen});
  process.on('SIGTERM', () => process.exit(0));
`;

/** Answers with what the URL in its path answers, or the code of the error. */
const FETCHER = `
  import { createServer } from 'node:http';
  createServer(async ({ url }, response) => {
    const fetched = fetch(decodeURIComponent(url.slice(1)), { signal: AbortSignal.timeout(8_000) });
    response.end(await fetched.then(each => each.text(), error => 'failed: ' + (error.cause?.code ?? error.name)));
  }).listen(Number(process.env.PORT));
  process.on('SIGTERM', () => process.exit(0));
`;

/** The part of the contract about the network between web services of several owners on one machine. */
export const networkContract = (context: NetworkContext): void => {
  const { harness, victim, printed, loggedBy, ran, running, visited } = context;

  it.each([
    ['an instance', printed],
    ['a build', loggedBy],
    ['a command', ran],
  ] as const)(
    'reaches from %s no other instance, and nothing of the machine and of private networks',
    async (_, outputOf) => {
      const addresses = [...(await harness().addressesOf(victim())), ...(await harness().forbiddenAddresses())];
      expect(addresses.length).toBeGreaterThan(5);
      const codes = codesIn(await outputOf(connectTo(addresses)));
      const open = addresses.filter((_address, index) => !REFUSED.test(codes[index] ?? ''));
      // Without networks of their own, sandboxes reach everything that the machine reaches.
      if (harness().hasNetworks) expect(open).toEqual([]);
      else expect(open.length).toBeGreaterThan(0);
    },
  );

  it('reaches the platform from instances, builds and commands at POSTERN_URL', async () => {
    const request = node('fetch(process.env.POSTERN_URL).then(r => r.text()).then(console.log)');
    for (const outputOf of [printed, loggedBy, ran]) expect(await outputOf(request)).toContain(harness().gatewayAnswer);
  });

  it('gives an instance its own ports: one that takes the ports and names of others gets none of their traffic', async () => {
    if (!harness().hasNetworks) return;
    const platform = (await harness().forbiddenAddresses()).map(({ port }) => port);
    const thief = await running(squatter(platform));
    expect(Number((await visited(thief)).split(' ')[0])).toBeGreaterThan(14_000);
    for (const text of ['one', 'two', 'three']) {
      const plan = await running(answering(text, 'Number(process.env.PORT)'));
      expect(await visited(plan)).toMatch(new RegExp(`^${text} to `));
    }
    expect((await visited(thief)).split(' ')[1]).toBe('0');
  });

  it.each(["Number(process.env.PORT), '127.0.0.1'", "Number(process.env.PORT), '::'"])(
    'serves an application that listens at %s, which sees its visitors come from 127.0.0.1',
    async listen => {
      const plan = await running(answering('served', listen));
      expect(await visited(plan)).toMatch(/^served to (::ffff:)?127\.0\.0\.1$/);
    },
  );

  it('names the web services of a project for each other, and for nobody else', async () => {
    if (!harness().hasNetworks) return;
    const [projectId, other] = [randomUUID(), randomUUID()];
    const web = await running(FETCHER, { projectId, name: 'web', port: 8080 });
    const stranger = await running(FETCHER, { projectId: other, name: 'stranger', port: 8080 });
    const fetched = (by: ServicePlan, url: string) => visited(by, `/${encodeURIComponent(url)}`);
    const url = 'http://api-v2.internal:8081/';
    expect(await fetched(web, url)).toBe('failed: ENOTFOUND');
    const api = await running(answering('private', 'Number(process.env.PORT)'), {
      ...{ projectId, name: 'API v2', port: 8081 },
    });
    // Instances that run already know a web service that is added.
    expect(await fetched(web, url)).toContain('private to');
    expect(await fetched(stranger, url)).toBe('failed: ENOTFOUND');
    const named = await running(answering('other', 'Number(process.env.PORT)'), {
      ...{ projectId: other, name: 'api-v2', port: 8081 },
    });
    expect(await fetched(stranger, url)).toContain('other to');
    expect(await fetched(web, url)).toContain('private to');
    // The addresses are those of one project as well.
    for (const last of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
      expect(await fetched(stranger, `http://198.18.0.${last}:8081/`)).not.toContain('private to');
    expect(api.webServiceId).not.toBe(named.webServiceId);
  }, 120_000);

  it('hides the connections of the machine, and allows no change of the network', async () => {
    if (!harness().hasNetworks) return;
    const listening = await printed('cat /proc/net/tcp /proc/net/tcp6 | grep -c " 0A "');
    expect(Number(listening)).toBe(1);
    for (const change of [
      'ip link add x type dummy',
      'ip addr add 10.0.0.1/32 dev eth0',
      'ip route add 10.0.0.0/8 dev eth0',
    ])
      expect(await printed(`${change} || echo refused`)).toMatch(/refused|not found/);
    const raw = 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)';
    expect(await printed(`python3 -c "${raw}" || echo refused`)).toContain('refused');
  });
};

/** The order of a command that runs once for a web service. */
export const commandOf = (plan: ServicePlan, command: string) => ({
  runId: randomUUID(),
  webServiceId: plan.webServiceId,
  instance: 'command',
  artefact: plan.artefact,
  command,
  environment: plan.environment,
  secrets: plan.secrets,
  deadlineMs: 60_000,
  size: plan.instance,
});

export const endedWell = ({ exitCode, reason }: RunEnd): void => {
  if (exitCode !== 0) throw new Error(`the command failed: ${reason}`);
};
