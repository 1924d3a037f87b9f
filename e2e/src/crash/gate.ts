import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Files } from '../platform/repository.js';

/**
 * Builds and services of a test wait for a gate, so that a state lasts until the test has observed it. They cannot read the
 * files of the test, so the gate is an HTTP server.
 */
export class Gate {
  #isOpen = false;
  readonly #visits = new Map<string, number>();

  private constructor(private readonly server: Server) {}

  static create(): Gate {
    const server = createServer(({ url = '/' }, response) => {
      gate.#visits.set(url, gate.visitsOf(url) + 1);
      response.statusCode = gate.#isOpen ? 200 : 423;
      response.end();
    });
    const gate = new Gate(server);
    server.listen(0).unref();
    return gate;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
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
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** A JavaScript expression: whether the gate is open. */
export const isOpen = (gate: Gate): string => `await fetch('${gate.url}').then(({ ok }) => ok, () => false)`;

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
  await fetch('${gate.url}${BEGUN}');
  ${waitFor(gate)}
  await fetch('${gate.url}${ENDED}');
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
