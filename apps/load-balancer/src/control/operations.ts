import {
  backendSet,
  closing,
  drainOrder,
  hostRoutes,
  reservation,
  serviceId,
  trafficConfirmation,
} from '@postern/load-balancer-client';
import type { LoadBalancer } from './load-balancer.js';
import { RefusedOrder } from './refused-order.js';

interface Order {
  /** The service in the path; empty if the operation has no `:id`. */
  readonly id: string;
  /** The parsed JSON of the request. */
  readonly body: unknown;
}

/** Resolves with the body of the response. */
type Operation = (balancer: LoadBalancer, order: Order) => Promise<object | undefined>;

/** The operations of the control API; `:id` is the id of a service. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'PUT /services/:id': async (balancer, { id, body }) => {
    const { name } = reservation.parse(body);
    return { url: await balancer.reserve(id, name) };
  },
  'PUT /services/:id/backends': async (balancer, { id, body }) => {
    const { backends, version } = backendSet.parse(body);
    await balancer.switchTo(id, backends, version);
  },
  'PUT /services/:id/closed': async (balancer, { id, body }) => {
    const { reason, version } = closing.parse(body);
    await balancer.close(id, reason, version);
  },
  'POST /services/:id/drain': async (balancer, { id, body }) => {
    const { backends, timeoutMs } = drainOrder.parse(body);
    return { cut: await balancer.drain(id, backends, timeoutMs) };
  },
  'DELETE /services/:id': async (balancer, { id }) => {
    await balancer.remove(id);
  },
  'PUT /hosts': async (balancer, { body }) => {
    await balancer.routeHosts(hostRoutes.parse(body));
  },
  'GET /state': async balancer => ({ services: await balancer.routes(), workers: balancer.workerProcesses() }),
  'GET /traffic': balancer => balancer.readTraffic(),
  'POST /traffic/confirm': async (balancer, { body }) => {
    await balancer.confirmTraffic(trafficConfirmation.parse(body));
  },
};

/**
 * Finds the operation of a request. It is called with the parsed body of that request.
 * @throws RefusedOrder if there is none.
 */
export const operationOf = (
  method: string,
  path: string,
): ((balancer: LoadBalancer, body: unknown) => Promise<object | undefined>) => {
  const id = /^\/services\/([^/]*)/.exec(path)?.[1];
  const template = path.replace(/^\/services\/[^/]*/, '/services/:id').replace(/\/$/, '');
  const operation = OPERATIONS[`${method} ${template}`];
  if (!operation)
    throw new RefusedOrder(
      404,
      `no operation ${method} ${path}: use a client of the same version as the load balancer`,
    );
  return (balancer, body) => operation(balancer, { id: id === undefined ? '' : serviceId.parse(id), body });
};
