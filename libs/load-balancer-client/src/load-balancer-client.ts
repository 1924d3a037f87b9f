import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { addressOf } from './control-address.js';
import {
  type Backend,
  type BalancerRoute,
  balancerState,
  type ClosedReason,
  controlSocket,
  countedTraffic,
  drained,
  reserved,
} from './control-protocol.js';

/** Bytes in and out of one service. */
export interface ServiceTraffic {
  readonly webServiceId: string;
  readonly bytes: number;
}

/** Unconfirmed bytes of services; `upTo` is what a confirmation names, within the epoch. */
export interface TrafficReading {
  readonly epoch: string;
  readonly services: readonly (ServiceTraffic & { readonly upTo: number })[];
}

const MOST_SERVICES = 5_000;

export interface LoadBalancerClientOptions {
  /** How long a load balancer that is just starting again is waited for. */
  readonly patienceMs?: number;
}

/**
 * Asks the load balancer of this machine. Every order may be given twice; each waits out a restart of the balancer.
 * @throws BalancerUnavailable when it stays away, StaleRoute when a newer version of the route is known to it.
 */
export class LoadBalancerClient {
  readonly #agent = new Agent({ keepAlive: false });
  readonly #socketPath: string;
  readonly #patienceMs: number;

  constructor(platformHome: string, { patienceMs = 10_000 }: LoadBalancerClientOptions = {}) {
    this.#socketPath = controlSocket(platformHome);
    this.#patienceMs = patienceMs;
  }

  /** The service's stable URL; made on the first question. Until backends are put it answers 503. */
  async reserve(webServiceId: string, name: string): Promise<string> {
    const { url } = await this.#request('PUT', `/services/${webServiceId}`, reserved, { name });
    return url;
  }

  /**
   * Sends all new requests to exactly these backends from now on, and opens a closed service. Durable when it returns.
   * The service must have been reserved. A version lower than the last one is refused; the same one may be put again.
   */
  async switchTo(webServiceId: string, backends: readonly Backend[], version: number): Promise<void> {
    const order = { backends: backends.map(({ id, port }) => ({ id, port })), version };
    await this.#request('PUT', `/services/${webServiceId}/backends`, undefined, order);
  }

  /**
   * Waits until nothing is under way on these backends, which must no longer be among those that take new requests.
   * What still is at the deadline, WebSockets among it, is cut; answers how many exchanges were.
   */
  async drain(webServiceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    const order = { backends: backendIds, timeoutMs };
    const { cut } = await this.#request('POST', `/services/${webServiceId}/drain`, drained, order);
    return cut;
  }

  /** Answers new requests with 503 and the reason; requests in progress continue until drained. */
  async close(webServiceId: string, reason: ClosedReason, version?: number): Promise<void> {
    await this.#request('PUT', `/services/${webServiceId}/closed`, undefined, { reason, version });
  }

  /** Gives the address of the service back. Bytes that are not confirmed yet stay known. */
  async remove(webServiceId: string): Promise<void> {
    await this.#request('DELETE', `/services/${webServiceId}`, undefined);
  }

  /** Routes exactly these host names on the shared port, besides the names of the services. Durable when it returns. */
  async routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    await this.#request('PUT', '/hosts/', undefined, services);
  }

  /** All routes as the balancer has them now. */
  async routes(): Promise<readonly BalancerRoute[]> {
    return (await this.#request('GET', '/state', balancerState)).services;
  }

  /** Ids of the processes that clients are connected to, the one for new connections first. */
  async workerProcesses(): Promise<readonly number[]> {
    return (await this.#request('GET', '/state', balancerState)).workers;
  }

  /**
   * Bytes of services since the last confirmation, of at most `atMost` services. They come again until they are
   * confirmed. Does not wait for a load balancer that is away.
   */
  async readTraffic(atMost = MOST_SERVICES): Promise<TrafficReading> {
    const { epoch, total, confirmed } = await this.#request('GET', '/traffic', countedTraffic, undefined, 0);
    const services = Object.entries(total)
      .map(([webServiceId, upTo]) => ({ webServiceId, upTo, bytes: upTo - (confirmed[webServiceId] ?? 0) }))
      .filter(({ bytes }) => bytes > 0)
      .slice(0, atMost);
    return { epoch, services };
  }

  /** Confirms a reading, so that its bytes never come again. */
  async confirmTraffic({ epoch, services }: TrafficReading): Promise<void> {
    const upTo = Object.fromEntries(services.map(({ webServiceId, upTo }) => [webServiceId, upTo]));
    await this.#request('POST', '/traffic/confirm', undefined, { epoch, upTo });
  }

  /** Hands over the bytes since the last confirmation, and confirms them if `confirm` resolves. */
  async takeTraffic(confirm: (traffic: readonly ServiceTraffic[]) => Promise<void>): Promise<void> {
    const reading = await this.readTraffic();
    if (reading.services.length === 0) return;
    await confirm(reading.services.map(({ webServiceId, bytes }) => ({ webServiceId, bytes })));
    await this.confirmTraffic(reading);
  }

  async #request(method: string, path: string, answer: undefined, body?: object): Promise<void>;
  async #request<T>(method: string, path: string, answer: z.ZodType<T>, body?: object, patienceMs?: number): Promise<T>;
  async #request<T>(
    method: string,
    path: string,
    answer: z.ZodType<T> | undefined,
    body?: object,
    patienceMs = this.#patienceMs,
  ): Promise<T | undefined> {
    const deadline = performance.now() + patienceMs;
    for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
      try {
        const { status, text } = await this.#send(method, path, body);
        if (status === 409) throw new StaleRoute(text);
        if (status >= 300) throw new Error(`the load balancer refused ${method} ${path}: ${status} ${text}`);
        return answer?.parse(JSON.parse(text));
      } catch (error) {
        if (!isAway(error)) throw error;
        if (performance.now() + pause > deadline) throw new BalancerUnavailable(error);
      }
      await delay(pause);
    }
  }

  #send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { agent: this.#agent, socketPath: addressOf(this.#socketPath), method, path },
        response => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body && JSON.stringify(body));
    });
  }
}

/** Nobody answers at the control socket: not started, or gone between order and answer. */
export class BalancerUnavailable extends Error {
  override readonly name = 'BalancerUnavailable';
  constructor(cause: unknown) {
    super('the load balancer does not respond', { cause });
  }
}

/** Somebody with a newer view of the service has spoken already. */
export class StaleRoute extends Error {
  override readonly name = 'StaleRoute';
}

const AWAY = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN']);
const isAway = (error: unknown): boolean => AWAY.has((error as NodeJS.ErrnoException | null)?.code ?? '');
