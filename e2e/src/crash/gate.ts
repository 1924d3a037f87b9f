import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StartOptions } from '@postern/local-start';
import { freePort } from '@postern/testing';
import type { Files } from '../platform/repository.js';

const gates = new Map<string, Gate>();

/** Serves all gates of a test file. A Postern permits the port when it starts, before the gates exist. */
const server = createServer(({ url = '' }, response) => {
  const [, id = '', ...rest] = url.split('/');
  response.statusCode = gates.get(id)?.visit(`/${rest.join('/')}`) ? 200 : 423;
  response.end();
});
server.on('connection', socket => socket.unref());
server.listen(0, '127.0.0.1').unref();
await once(server, 'listening');
const { port: gatePort } = server.address() as AddressInfo;

/** Options of a Postern whose builds, services and commands reach the gates although they have networks of their own. */
export const withGates = async (
  environment: StartOptions['environment'] = {},
): Promise<Pick<StartOptions, 'port' | 'environment'>> => {
  const port = await freePort();
  const addresses = [port, gatePort].map(each => `127.0.0.1:${each}`).join(',');
  const agent = { ...environment['runtime-agent'], POSTERN_PLATFORM_GATEWAY_ADDRESSES: addresses };
  return { port, environment: { ...environment, 'runtime-agent': agent } };
};

/**
 * Builds and services of a test wait for a gate, so that a state lasts until the test has observed it. They cannot read the
 * files of the test, so the gate is a path of an HTTP server.
 */
export class Gate {
  #isOpen = false;
  readonly #visits = new Map<string, number>();

  private constructor(readonly id: string) {}

  static create(): Gate {
    const gate = new Gate(randomUUID());
    gates.set(gate.id, gate);
    return gate;
  }

  /** Counts a request. @returns whether the gate is open. */
  visit(path: string): boolean {
    this.#visits.set(path, this.visitsOf(path) + 1);
    return this.#isOpen;
  }

  /** Number of requests for a path; the gate itself is at `/`. */
  visitsOf(path: string): number {
    return this.#visits.get(path) ?? 0;
  }

  open(): void {
    this.#isOpen = true;
  }

  close(): void {
    this.#isOpen = false;
  }

  remove(): void {
    gates.delete(this.id);
  }
}

/** A JavaScript expression: the response of a path of the gate. The first address is for machines without networks of sandboxes. */
const responseOf = ({ id }: Gate, path = '/'): string => {
  const [shared, own] = ['127.0.0.1', 'postern.internal'].map(
    host => `fetch('http://${host}:${gatePort}/${id}${path}')`,
  );
  return `await ${shared}.catch(() => ${own})`;
};

/** A JavaScript expression: whether the gate is open. */
export const isOpen = (gate: Gate): string => `${responseOf(gate)}.then(({ ok }) => ok, () => false)`;

/** JavaScript module code that waits until the gate is open. */
const waitFor = (gate: Gate): string => `
  while (!(${isOpen(gate)})) await new Promise(resolve => setTimeout(resolve, 50));
`;

export interface Gates {
  readonly build?: Gate;
  /** The service waits for it before it listens. */
  readonly start?: Gate;
  /** The service waits for it after SIGTERM, before it ends. */
  readonly end?: Gate;
  /** `node command.js` waits for it, and requests `BEGUN` and `ENDED` at its start and end. */
  readonly command?: Gate;
}

export const BEGUN = '/begun';
export const ENDED = '/ended';

const commandOf = (gate: Gate): string => `
  ${responseOf(gate, BEGUN)};
  ${waitFor(gate)}
  ${responseOf(gate, ENDED)};
`;

/** A web service that responds with its version, is built by `node build.js`, and waits at its gates. */
export const gatedApp = (version: string, gates: Gates = {}): Files => ({
  'package.json': '{"name":"story","private":true,"type":"module"}',
  'build.js': gates.build ? waitFor(gates.build) : '',
  'command.js': gates.command ? commandOf(gates.command) : '',
  'server.js': `
    import { createServer } from 'node:http';
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url, 'http://service');
      setTimeout(() => response.end('${version}'), Number(searchParams.get('ms') ?? 0));
    });
    process.on('SIGTERM', async () => {
      console.log('version ${version} received SIGTERM');
      ${gates.end ? waitFor(gates.end) : ''}
      server.close();
    });
    ${gates.start ? waitFor(gates.start) : ''}
    server.listen(process.env.PORT);
  `,
});
