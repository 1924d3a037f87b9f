import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { addressOf } from '@postern/load-balancer-client';
import { z } from 'zod';
import { type BalancerLog, reasonOf } from '../infrastructure/balancer-log.js';
import type { LoadBalancer } from './load-balancer.js';
import { operationOf } from './operations.js';
import { RefusedOrder } from './refused-order.js';

const LARGEST_ORDER_BYTES = 4 * 1024 * 1024;

/** The control API: HTTP on a Unix socket that only the load balancer's user can open. */
export class ControlServer {
  readonly #server: Server;

  constructor(
    private readonly balancer: LoadBalancer,
    private readonly log: BalancerLog,
  ) {
    this.#server = createServer({ requestTimeout: 0 }, (request, response) => void this.#answer(request, response));
  }

  async listen(path: string): Promise<void> {
    // Removes the socket of a load balancer that was killed.
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ path: addressOf(path) }, resolve);
    });
    await chmod(path, 0o600);
  }

  async stop(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => undefined);
    try {
      send(response, 200, (await this.#execute(request)) ?? {});
    } catch (error) {
      const status = statusOf(error);
      if (status === 500) this.log.error({ ...reasonOf(error), order: request.url }, 'An order failed');
      send(response, status, { error: error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error).reason });
    }
  }

  async #execute(request: IncomingMessage): Promise<object | undefined> {
    const execute = operationOf(request.method ?? '', request.url ?? '');
    return execute(this.balancer, await bodyOf(request));
  }
}

/** Whether a running load balancer accepts connections on this socket; false for the leftover of a dead one. */
export const answersAt = (path: string): Promise<boolean> =>
  new Promise(resolve => {
    if (!existsSync(dirname(path))) return resolve(false);
    const probe = connect({ path: addressOf(path) });
    probe.once('error', () => resolve(false));
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
  });

/** The parsed body; undefined if it is empty. */
const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_ORDER_BYTES)
      throw new RefusedOrder(400, `the order is too large: its body may have ${LARGEST_ORDER_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new RefusedOrder(400, 'the body of the order is not JSON');
  }
};

const statusOf = (error: unknown): number => {
  if (error instanceof RefusedOrder) return error.status;
  return error instanceof z.ZodError ? 400 : 500;
};

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
};
