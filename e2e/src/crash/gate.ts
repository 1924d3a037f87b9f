import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@postern/testing';
import type { PlatformWorld } from '../platform/platform-world.js';
import type { Files } from '../platform/repository.js';

/**
 * Builds and services of a test wait for a gate, so that a state lasts until the test has observed it. They can read no file of the
 * test, so its gates are an HTTP server, which their networks reach if the platform has the options of `withGates`.
 */
export class Gate {
  static readonly #all = new Map<string, Gate>();
  readonly #id = randomUUID();
  #isOpen = false;
  readonly #visits = new Map<string, number>();

  static create(): Gate {
    const gate = new Gate();
    Gate.#all.set(gate.#id, gate);
    return gate;
  }

  /** The status of the response to a request for `/<id><path>`. */
  static visit(url: string): number {
    const [, id = '', path = ''] = /^\/([^/]*)(.*)$/.exec(url) ?? [];
    return Gate.#all.get(id)?.count(path) ?? 404;
  }

  private count(path: string): number {
    this.#visits.set(path, this.visitsOf(path) + 1);
    return this.#isOpen ? 200 : 423;
  }

  /** A JavaScript expression: its URL, for processes of the platform. */
  get url(): string {
    return `('http://' + new URL(process.env.POSTERN_URL).hostname + ':${portOfGates()}/${this.#id}')`;
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
}

/** Serves all gates of a test file, until its process ends. */
const server = createServer(({ url = '/' }, response) => {
  response.statusCode = Gate.visit(url);
  response.end();
});
server.on('connection', socket => socket.unref());
server.listen(0).unref();

const portOfGates = (): number => (server.address() as AddressInfo).port;

type PlatformOptions = NonNullable<Parameters<typeof PlatformWorld.start>[0]>;

/** Options of a platform whose sandboxes reach the gates, beside the API gateway. */
export const withGates = async ({ environment, ...options }: PlatformOptions): Promise<PlatformOptions> => {
  const port = await freePort();
  const reachable = [port, portOfGates()].map(each => `127.0.0.1:${each}`).join(',');
  return {
    ...options,
    port,
    environment: {
      ...environment,
      'runtime-agent': { POSTERN_PLATFORM_GATEWAY_ADDRESSES: reachable, ...environment?.['runtime-agent'] },
    },
  };
};

/** A JavaScript expression: whether the gate is open. */
export const isOpen = (gate: Gate): string => `await fetch(${gate.url} + '/').then(({ ok }) => ok, () => false)`;

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
  await fetch(${gate.url} + '${BEGUN}');
  ${waitFor(gate)}
  await fetch(${gate.url} + '${ENDED}');
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
