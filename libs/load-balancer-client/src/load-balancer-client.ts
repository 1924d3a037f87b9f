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

/** Unconfirmed bytes of services; a confirmation names `upTo`, the sum within the epoch. */
export interface TrafficReading {
  readonly epoch: string;
  readonly services: readonly (ServiceTraffic & { readonly upTo: number })[];
}

const MAX_SERVICES = 5_000;

export interface LoadBalancerClientOptions {
  /** How long to wait for a load balancer that is restarting. */
  readonly timeoutMs?: number;
}

/**
 * Client of this machine's load balancer. Every order is idempotent and waits for a restart of the load balancer.
 * @throws BalancerUnavailable if it stays unreachable, StaleRoute if it has a newer version of the route.
 */
export class LoadBalancerClient {
  readonly #agent = new Agent({ keepAlive: false });
  readonly #socketPath: string;
  readonly #timeoutMs: number;

  constructor(platformHome: string, { timeoutMs = 10_000 }: LoadBalancerClientOptions = {}) {
    this.#socketPath = controlSocket(platformHome);
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the stable URL of the service, creating it on the first call. It answers 503 until backends are set. */
  async reserve(webServiceId: string, name: string): Promise<string> {
    const { url } = await this.#request('PUT', `/services/${webServiceId}`, reserved, { name });
    return url;
  }

  /**
   * Sends all new requests to exactly these backends from now on, and opens a closed service. Durable when it returns.
   * The service must be reserved. A version lower than the last one is refused; the same one may be repeated.
   */
  async switchTo(webServiceId: string, backends: readonly Backend[], version: number): Promise<void> {
    const order = {
      backends: backends.map(({ id, host, port, firstByteMs }) => ({ id, host, port, firstByteMs })),
      version,
    };
    await this.#request('PUT', `/services/${webServiceId}/backends`, undefined, order);
  }

  /**
   * Waits until no exchange is in progress on these backends, which must no longer be active. Exchanges that remain at
   * the deadline, including WebSockets, are aborted.
   * @returns the number of exchanges aborted
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

  /** Releases the address of the service. Unconfirmed bytes are kept. */
  async remove(webServiceId: string): Promise<void> {
    await this.#request('DELETE', `/services/${webServiceId}`, undefined);
  }

  /** Routes exactly these host names on the shared port, in addition to the services' own. Durable when it returns. */
  async routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    await this.#request('PUT', '/hosts/', undefined, services);
  }

  /** All current routes of the load balancer. */
  async routes(): Promise<readonly BalancerRoute[]> {
    return (await this.#request('GET', '/state', balancerState)).services;
  }

  /** Process ids of the workers, the one for new connections first. */
  async workerProcesses(): Promise<readonly number[]> {
    return (await this.#request('GET', '/state', balancerState)).workers;
  }

  /**
   * Bytes since the last confirmation, of at most `atMost` services. They are reported again until they are confirmed.
   * Does not wait for an unavailable load balancer.
   */
  async readTraffic(atMost = MAX_SERVICES): Promise<TrafficReading> {
    const { epoch, total, confirmed } = await this.#request('GET', '/traffic', countedTraffic, undefined, 0);
    const services = Object.entries(total)
      .map(([webServiceId, upTo]) => ({ webServiceId, upTo, bytes: upTo - (confirmed[webServiceId] ?? 0) }))
      .filter(({ bytes }) => bytes > 0)
      .slice(0, atMost);
    return { epoch, services };
  }

  /** Confirms a reading, so that its bytes are never reported again. */
  async confirmTraffic({ epoch, services }: TrafficReading): Promise<void> {
    const upTo = Object.fromEntries(services.map(({ webServiceId, upTo }) => [webServiceId, upTo]));
    await this.#request('POST', '/traffic/confirm', undefined, { epoch, upTo });
  }

  /** Passes the bytes since the last confirmation to `confirm`, and confirms them if it resolves. */
  async takeTraffic(confirm: (traffic: readonly ServiceTraffic[]) => Promise<void>): Promise<void> {
    const reading = await this.readTraffic();
    if (reading.services.length === 0) return;
    await confirm(reading.services.map(({ webServiceId, bytes }) => ({ webServiceId, bytes })));
    await this.confirmTraffic(reading);
  }

  async #request(method: string, path: string, answer: undefined, body?: object): Promise<void>;
  async #request<T>(method: string, path: string, answer: z.ZodType<T>, body?: object, timeoutMs?: number): Promise<T>;
  async #request<T>(
    method: string,
    path: string,
    answer: z.ZodType<T> | undefined,
    body?: object,
    timeoutMs = this.#timeoutMs,
  ): Promise<T | undefined> {
    const deadline = performance.now() + timeoutMs;
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

/** The control socket does not respond: the load balancer is not running, or ended before it answered. */
export class BalancerUnavailable extends Error {
  override readonly name = 'BalancerUnavailable';
  constructor(cause: unknown) {
    super('the load balancer does not respond', { cause });
  }
}

/** The load balancer has a newer version of the route. */
export class StaleRoute extends Error {
  override readonly name = 'StaleRoute';
}

const AWAY = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN']);
const isAway = (error: unknown): boolean => AWAY.has((error as NodeJS.ErrnoException | null)?.code ?? '');
