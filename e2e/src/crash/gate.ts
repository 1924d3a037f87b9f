import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Files } from '../platform/repository.js';

/**
 * What builds and services of a story wait for, so that a state lasts until the story has seen it. They see no files of
 * the story, so it answers on a port.
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

  /** How often a path was asked for; the gate itself is at `/`. */
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

/** An expression of module code: whether the gate is open. */
export const isOpen = (gate: Gate): string => `await fetch('${gate.url}').then(({ ok }) => ok, () => false)`;

/** Module code that continues when the gate is open. */
const waitFor = (gate: Gate): string => `
  while (!(${isOpen(gate)})) await new Promise(resolve => setTimeout(resolve, 50));
`;

export interface Gates {
  readonly build?: Gate;
  /** Passed before the service listens. */
  readonly start?: Gate;
  /** Passed after SIGTERM, before the service ends. */
  readonly end?: Gate;
  /** Passed by `node command.js`, which tells it of its begin and its end at `BEGUN` and `ENDED`. */
  readonly command?: Gate;
}

export const BEGUN = '/begun';
export const ENDED = '/ended';

const commandOf = (gate: Gate): string => `
  await fetch('${gate.url}${BEGUN}');
  ${waitFor(gate)}
  await fetch('${gate.url}${ENDED}');
`;

/** A web service that answers with its version, built by `node build.js`, and waits where it is told to. */
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
      console.log('version ${version} is told to end');
      ${gates.end ? waitFor(gates.end) : ''}
      server.close();
    });
    ${gates.start ? waitFor(gates.start) : ''}
    server.listen(process.env.PORT);
  `,
});
