import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import {
  addressOf,
  backendSet,
  closing,
  drainOrder,
  hostRoutes,
  reservation,
  serviceId,
  trafficConfirmation,
} from '@postern/load-balancer-client';
import { z } from 'zod';
import { type BalancerLog, reasonOf } from '../infrastructure/balancer-log.js';
import { type LoadBalancer, RefusedOrder, UnknownService } from './load-balancer.js';
import { StaleVersion } from './route-table.js';

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
    const { balancer } = this;
    const [, collection = '', subject = '', detail = ''] = (request.url ?? '').split('/');
    const order = `${request.method} ${collection}${collection === 'services' ? `/id/${detail}` : `/${subject}`}`;
    const id = () => serviceId.parse(decodeURIComponent(subject));
    switch (order) {
      case 'PUT services/id/': {
        const { name } = reservation.parse(await bodyOf(request));
        return { url: await balancer.reserve(id(), name) };
      }
      case 'PUT services/id/backends': {
        const { backends, version } = backendSet.parse(await bodyOf(request));
        return void (await balancer.switchTo(id(), backends, version));
      }
      case 'PUT services/id/closed': {
        const { reason, version } = closing.parse(await bodyOf(request));
        return void (await balancer.close(id(), reason, version));
      }
      case 'POST services/id/drain': {
        const { backends, timeoutMs } = drainOrder.parse(await bodyOf(request));
        return { cut: await balancer.drain(id(), backends, timeoutMs) };
      }
      case 'DELETE services/id/':
        return void (await balancer.remove(id()));
      case 'PUT hosts/':
        return void (await balancer.routeHosts(hostRoutes.parse(await bodyOf(request))));
      case 'GET state/':
        return { services: await balancer.routes(), workers: balancer.workerProcesses() };
      case 'GET traffic/':
        await balancer.countTraffic();
        return balancer.traffic.counted();
      case 'POST traffic/confirm': {
        const confirmation = trafficConfirmation.parse(await bodyOf(request));
        if (await balancer.traffic.confirm(confirmation, known => balancer.isKnown(known))) return undefined;
        throw new StaleVersion('the bytes were counted in another epoch');
      }
      default:
        throw new UnknownService('unknown operation');
    }
  }
}

/** Whether a running load balancer accepts connections on this socket; false for the leftover of a dead one. */
export const answersAt = (path: string): Promise<boolean> =>
  new Promise(resolve => {
    if (!existsSync(dirname(path))) return resolve(false);
    const probe = connect({ path: addressOf(path) });
    probe.once('connect', () => resolve(true));
    probe.once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_ORDER_BYTES) throw new RefusedOrder('the order is too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new RefusedOrder('the request body is not JSON');
  }
};

const statusOf = (error: unknown): number => {
  if (error instanceof z.ZodError || error instanceof RefusedOrder) return 400;
  if (error instanceof UnknownService) return 404;
  return error instanceof StaleVersion ? 409 : 500;
};

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
};
