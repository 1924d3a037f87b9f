import type { LoadBalancerClient } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import type { RuntimeStatus, ServicePlan, ServiceUsage } from '@postern/runtime';
import type { InstanceHost } from '../instances/instance-host.js';
import type { InstanceStarter } from '../instances/instance-starter.js';
import type { LeftBehind } from '../instances/left-behind.js';
import type { MarkedProcesses } from '../instances/marked-processes.js';
import type { FleetHost } from './fleet.js';
import type { HomeOwnership } from './home-ownership.js';
import { RunningService } from './running-service.js';
import type { RuntimeTimes } from './runtime-times.js';
import { Scaling } from './scaling.js';
import { Traffic } from './traffic.js';
import { UsageMeter } from './usage-meter.js';

export interface ServiceFleetsParts {
  readonly host: InstanceHost;
  readonly starter: InstanceStarter;
  readonly leftBehind: LeftBehind;
  readonly processes: MarkedProcesses;
  readonly balancer: LoadBalancerClient;
  readonly ownership: HomeOwnership;
  readonly times: RuntimeTimes;
  readonly log: Log;
}

/** All web services that run on this machine, taken over from an earlier run of the platform at the first order. */
export class ServiceFleets {
  readonly #services = new Map<string, RunningService>();
  readonly #scalings = new WeakMap<object, Scaling>();
  readonly #meter: UsageMeter;
  #takingOver: Promise<void> | undefined;
  #sampling: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ServiceFleetsParts) {
    this.#meter = new UsageMeter(parts.host.limits);
  }

  async roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    await this.#adoptOnce();
    await this.#service(plan.webServiceId).roll(plan, signal);
  }

  async stop(webServiceId: string): Promise<void> {
    await this.#adoptOnce();
    const service = this.#service(webServiceId);
    await service.stop();
    if (!service.busy) this.#services.delete(webServiceId);
  }

  async reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void> {
    await this.#adoptOnce();
    const routes = new Map((await this.parts.balancer.routes()).map(route => [route.id, route]));
    const plans = new Map(expected.map(plan => [plan.webServiceId, plan]));
    const candidates = new Set([...plans.keys(), ...routes.keys(), ...this.#services.keys()]);
    await Promise.all(
      [...candidates].map(async webServiceId => {
        const plan = plans.get(webServiceId);
        const route = routes.get(webServiceId);
        const service = this.#services.get(webServiceId);
        if (service?.busy || service?.belongsTo(rolling) || rolling.has(webServiceId)) {
          if (plan) service?.recognise(plan);
          return;
        }
        if (plan) await this.#service(webServiceId).maintain(plan, route);
        else if (service || (route && !route.closed)) await this.stop(webServiceId);
      }),
    );
    if (await this.parts.ownership.isMine()) await this.parts.leftBehind.clear(this.#knows);
  }

  async statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    if (this.#takingOver) return this.#services.get(webServiceId)?.status();
    return this.#statusFromOutside(webServiceId);
  }

  async usage(): Promise<readonly ServiceUsage[]> {
    await this.#sample();
    return [...this.#services.values()]
      .filter(({ instances }) => instances.length > 0)
      .map(({ webServiceId, instances }) => this.#meter.sumOf(webServiceId, instances));
  }

  async artefactsInUse(): Promise<readonly string[]> {
    return (await this.parts.host.ledger.list()).map(({ artefact }) => artefact);
  }

  /** Leaves everything running. */
  async detach(): Promise<void> {
    clearInterval(this.#sampling);
    await this.#takingOver?.catch(() => {});
    this.#takingOver = undefined;
    const services = [...this.#services.values()];
    this.#services.clear();
    await Promise.all(services.map(service => service.detach()));
  }

  /** At the first order, and at the first one after another process was the leader. */
  async #adoptOnce(): Promise<void> {
    if (this.#takingOver && !(await this.parts.ownership.isMine())) await this.detach();
    this.#takingOver ??= this.#adopt().catch(async error => {
      this.#takingOver = undefined;
      throw error;
    });
    await this.#takingOver;
  }

  async #adopt(): Promise<void> {
    const routes = await this.parts.balancer.routes();
    await this.parts.ownership.take();
    const routed = new Set(routes.flatMap(({ backends }) => backends.map(({ id }) => id)));
    const instances = await this.parts.leftBehind.adopt();
    for (const [webServiceId, members] of Map.groupBy(instances, ({ record }) => record.webServiceId))
      this.#service(webServiceId).adopt(members, routed);
    await this.parts.leftBehind.clear(this.#knows);
    this.#sampling = setInterval(() => void this.#tick(), this.parts.times.samplesMs);
  }

  readonly #knows = (id: string): boolean =>
    this.parts.starter.isUnderWay(id) ||
    [...this.#services.values()].some(({ instances }) => instances.some(({ record }) => record.id === id));

  #service(webServiceId: string): RunningService {
    const { starter, times, balancer, ownership, log } = this.parts;
    const startInstance = async (plan: ServicePlan) => {
      if (!(await ownership.isMine())) throw new Error('another process looks after the instances now');
      return starter.start(plan);
    };
    const logLine = (words: string) => {
      const log = this.parts.host.logs.writer(webServiceId, 'platform', []);
      log.write('platform', `${words}\n`);
      void log.close();
    };
    const host: FleetHost = { times, startInstance, isOurs: () => ownership.isMine(), logLine };
    const known = this.#services.get(webServiceId);
    const service = known ?? new RunningService(webServiceId, host, new Traffic(balancer, webServiceId), log);
    this.#services.set(webServiceId, service);
    return service;
  }

  async #tick(): Promise<void> {
    try {
      if (!(await this.parts.ownership.isMine())) return await this.detach();
      await this.#sample();
      this.#scale();
    } catch (err) {
      this.parts.log.error({ err }, 'The instances could not be checked');
    }
  }

  async #sample(): Promise<void> {
    const instances = [...this.#services.values()].flatMap(service => service.instances);
    if (instances.length === 0) return;
    const processes = await this.parts.processes.scan();
    for (const instance of instances) {
      const used = this.#meter.read(instance, processes.get(instance.record.id) ?? [], performance.now());
      if (used.memoryBytes > this.parts.host.limits.memoryBytes) await instance.outgrown();
    }
  }

  #scale(): void {
    for (const service of this.#services.values()) {
      const { serving, busy } = service;
      if (!serving?.plan || busy) continue;
      const scaling = this.#scalings.get(serving) ?? new Scaling(this.parts.times.scaling);
      this.#scalings.set(serving, scaling);
      const { cpuPercent } = this.#meter.sumOf(service.webServiceId, serving.instances);
      const wanted = scaling.decide(cpuPercent, serving.size, serving.plan, performance.now());
      if (wanted === serving.size) continue;
      this.parts.log.info({ webServiceId: service.webServiceId, from: serving.size, to: wanted }, 'Scaling');
      service.resize(wanted).catch(err => this.parts.log.error({ err }, 'A service could not be scaled'));
    }
  }

  /** What a process that looks after nothing can know: who has the traffic has answered. */
  async #statusFromOutside(webServiceId: string): Promise<RuntimeStatus | undefined> {
    const records = (await this.parts.host.ledger.list()).filter(record => record.webServiceId === webServiceId);
    const route = (await this.parts.balancer.routes()).find(({ id }) => id === webServiceId);
    const routed = new Set(route?.backends.map(({ id }) => id));
    const serving = records.find(({ id }) => routed.has(id)) ?? records.at(-1);
    if (!serving) return undefined;
    const ofRoll = records.filter(({ rollId }) => rollId === serving.rollId);
    const healthy = ofRoll.filter(({ id }) => routed.has(id)).length;
    return { rollId: serving.rollId, healthy, instances: ofRoll.length, lastFailure: undefined, restarts: 0 };
  }
}
