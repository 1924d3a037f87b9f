import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlSocket, LoadBalancerClient } from '@postern/load-balancer-client';
import { ControlServer } from '../control/control-server.js';
import { LoadBalancer } from '../control/load-balancer.js';
import { balancerLog } from '../infrastructure/balancer-log.js';
import { ReverseProxy } from '../proxy/reverse-proxy.js';
import { type BalancerSettings, settingsFrom, type Timeouts } from '../settings.js';
import { SingleProcessWorkers } from '../workers/single-process-workers.js';

/**
 * The web service of one spec file. The id of a service determines its port, so specs that run in parallel need
 * different ids.
 */
export const SERVICE: string = randomUUID();

/** A load balancer with one worker inside the test process, and its client. */
export class BalancerFixture {
  private constructor(
    readonly home: string,
    readonly client: LoadBalancerClient,
    readonly settings: BalancerSettings,
    readonly log: string[],
  ) {}

  #balancer: LoadBalancer | undefined;
  #control: ControlServer | undefined;
  readonly #backends: Server[] = [];
  readonly #sockets = new Set<Socket>();

  static async start(
    timeouts: Partial<Timeouts> = {},
    settings: Partial<BalancerSettings> = {},
  ): Promise<BalancerFixture> {
    const platformHome = await mkdtemp(join(tmpdir(), 'postern-balancer-'));
    const unset = settingsFrom({ POSTERN_PLATFORM_HOME: platformHome });
    const all: BalancerSettings = { ...unset, timeouts: { ...unset.timeouts, ...timeouts }, ...settings };
    const fixture = new BalancerFixture(platformHome, new LoadBalancerClient(platformHome), all, []);
    await fixture.startAgain();
    return fixture;
  }

  get sharedPort(): number {
    return this.#balancer?.sharedPort ?? 0;
  }

  async startAgain(): Promise<void> {
    this.#balancer = await LoadBalancer.start(
      this.settings,
      balancerLog(line => this.log.push(line)),
      new SingleProcessWorkers(new ReverseProxy(this.settings, false)),
    );
    this.#control = new ControlServer(
      this.#balancer,
      balancerLog(line => this.log.push(line)),
    );
    await this.#control.listen(controlSocket(this.home));
  }

  async stopBalancer(): Promise<void> {
    await this.#control?.stop();
    await this.#balancer?.stop();
  }

  async stop(): Promise<void> {
    await this.stopBalancer();
    for (const backend of this.#backends) backend.close();
    for (const socket of this.#sockets) socket.destroy();
    await rm(this.home, { recursive: true, force: true });
  }

  /** Reserves the address of the service and sends its traffic to a server with this listener. */
  async serve(listener: RequestListener): Promise<{ url: string; port: number; server: Server }> {
    const url = await this.client.reserve(SERVICE, 'shop');
    const { server, port } = await this.backend(listener);
    await this.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port }], 1);
    return { url, port, server };
  }

  async backend(listener: RequestListener): Promise<{ server: Server; port: number }> {
    const server = createServer(listener);
    this.#backends.push(server);
    server.on('connection', socket => this.#sockets.add(socket));
    return { server, port: await listening(server) };
  }
}

export const listening = (server: NetServer): Promise<number> =>
  new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

export { type Answer, type Question, request } from '@postern/load-balancer-client/testing';

/** All data that a connection receives until it ends. */
export const untilEnd = (socket: Socket): Promise<string> =>
  new Promise(resolve => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
