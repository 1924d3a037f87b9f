import { freePort, TcpBalancer } from '@postern/testing';
import type { RunningPostern, StartOptions } from './postern.js';
import { type Replica, type ReplicatedService, startReplica } from './start-replica.js';
import type { SupervisedProcess } from './supervised-process.js';

type Environment = NonNullable<StartOptions['environment']>;

/** The runtime agent is one process. */
const REPLICATED: readonly ReplicatedService[] = [
  'platform-management',
  'email-send',
  'delivery-tracking',
  'webhook-dispatch',
  'api-gateway',
];

/**
 * Replicas of the services of a Postern, behind one address each for the API and for the return path. Start that Postern with
 * `environmentOf` and `simulator`, and pass it to `attach`.
 */
export class ReplicaSet {
  readonly #further = new Map<ReplicatedService, Replica[]>(REPLICATED.map(service => [service, []]));
  #postern: RunningPostern | undefined;
  #environment: Environment = {};

  private constructor(
    private readonly gateways: TcpBalancer,
    private readonly returnPath: TcpBalancer,
    private readonly bouncePort: number,
  ) {}

  static async open(): Promise<ReplicaSet> {
    return new ReplicaSet(await TcpBalancer.open(), await TcpBalancer.open(), await freePort());
  }

  /** Settings of all replicas, with these. */
  environmentOf(settings: Environment): Environment {
    const tracking = { ...settings['delivery-tracking'], POSTERN_BOUNCE_SMTP_PORT: String(this.bouncePort) };
    this.#environment = { ...settings, 'delivery-tracking': tracking };
    return this.#environment;
  }

  /** Settings of the mail simulator. */
  get simulator(): Record<string, string> {
    return { POSTERN_SIMULATOR_BOUNCE_PORT: String(this.returnPath.port) };
  }

  attach(postern: RunningPostern): void {
    this.#postern = postern;
    this.gateways.add(postern.wiring.port);
    this.returnPath.add(this.bouncePort);
  }

  /** The API, at any of the gateways. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.gateways.port}`;
  }

  /** All replicas of each service, the first ones included. */
  get processes(): ReadonlyMap<ReplicatedService, readonly SupervisedProcess[]> {
    const first = this.#postern?.services;
    return new Map(
      [...this.#further].map(([service, further]) => {
        const all = [first?.get(service), ...further.map(({ process }) => process)];
        return [service, all.filter(process => process !== undefined)];
      }),
    );
  }

  /** Starts or stops replicas until each service has so many, at least one. */
  async scaleTo(count: number): Promise<void> {
    const postern = this.#postern;
    if (!postern) throw new Error('attach a running Postern first');
    for (const [service, further] of this.#further) {
      for (const { process, port } of further.splice(count - 1)) {
        this.#balancerOf(service)?.remove(port);
        await process.stop();
      }
      while (further.length + 1 < count) {
        const name = `${service}-${further.length + 2}`;
        const replica = await startReplica(postern, service, { name, environment: this.#environment });
        further.push(replica);
        this.#balancerOf(service)?.add(replica.port);
      }
    }
  }

  /** Stops all but the first replicas. */
  async stop(): Promise<void> {
    this.gateways.close();
    this.returnPath.close();
    const further = [...this.#further.values()].flatMap(replicas => replicas.splice(0));
    await Promise.all(further.map(({ process }) => process.stop()));
  }

  #balancerOf(service: ReplicatedService): TcpBalancer | undefined {
    if (service === 'api-gateway') return this.gateways;
    return service === 'delivery-tracking' ? this.returnPath : undefined;
  }
}
