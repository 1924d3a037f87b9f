import type { LoadBalancerClient } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import {
  type Artefact,
  type BuildOrder,
  type LogLine,
  type LogQuery,
  type LogWriter,
  type ResolvedSource,
  Runtime,
  type RuntimeStatus,
  type ServicePlan,
  type ServiceUsage,
  type Source,
  type TrafficReading,
} from '@postern/runtime';
import type { InstanceLedger } from './instances/instance-ledger.js';
import type { InstanceStarter } from './instances/instance-starter.js';
import type { LeftBehind } from './instances/left-behind.js';
import type { LogStore } from './logs/log-store.js';
import type { HomeOwnership } from './rolls/home-ownership.js';
import type { InstanceMonitor } from './rolls/instance-monitor.js';
import type { ReplicaSetHost } from './rolls/replica-set.js';
import { RunningService } from './rolls/running-service.js';
import type { RuntimeTimes } from './rolls/runtime-times.js';
import { Traffic } from './rolls/traffic.js';

/** Fetches sources, builds artefacts and keeps them. */
export interface Builds {
  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource>;
  build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact>;
  retainArtefacts(keep: ReadonlySet<string>): Promise<void>;
  /** Ends builds that an earlier run of the platform left behind, and deletes their files. */
  reconcile(): Promise<void>;
}

export interface LocalRuntimeParts {
  readonly builds: Builds;
  readonly ledger: InstanceLedger;
  readonly starter: InstanceStarter;
  readonly leftBehind: LeftBehind;
  readonly monitor: InstanceMonitor;
  readonly balancer: LoadBalancerClient;
  readonly ownership: HomeOwnership;
  readonly logs: LogStore;
  readonly times: RuntimeTimes;
  readonly log: Log;
}

/**
 * Runs web services as processes of this machine. Only the leading process of a home may build, roll, stop and reconcile;
 * every process on the machine can read logs, addresses and the status. The first order adopts running instances.
 */
export class LocalRuntime extends Runtime {
  readonly #services = new Map<string, RunningService>();
  #adopting: Promise<void> | undefined;

  constructor(private readonly parts: LocalRuntimeParts) {
    super();
  }

  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    return this.parts.builds.resolveSource(source, signal);
  }

  build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact> {
    return this.parts.builds.build(order, output, signal);
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
    await this.parts.builds.reconcile();
  }

  async statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    return this.#adopting ? this.#services.get(webServiceId)?.status() : this.#recordedStatus(webServiceId);
  }

  usage(): Promise<readonly ServiceUsage[]> {
    return this.parts.monitor.usage([...this.#services.values()]);
  }

  urlOf(webServiceId: string, name: string): Promise<string> {
    return this.parts.balancer.reserve(webServiceId, name);
  }

  logs(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]> {
    return this.parts.logs.read(webServiceId, query);
  }

  logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter {
    return this.parts.logs.writer(webServiceId, instance, redact);
  }

  readTraffic(): Promise<TrafficReading> {
    return this.parts.balancer.readTraffic();
  }

  confirmTraffic(reading: TrafficReading): Promise<void> {
    return this.parts.balancer.confirmTraffic(reading);
  }

  async retainArtefacts(keep: ReadonlySet<string>): Promise<void> {
    const used = (await this.parts.ledger.list()).map(({ artefact }) => artefact);
    await this.parts.builds.retainArtefacts(new Set([...keep, ...used]));
  }

  /** Stops the supervision and leaves everything running for the next leader. The next order resumes it. */
  async detach(): Promise<void> {
    await this.#release();
    await this.parts.logs.close();
  }

  /** Deletes log lines that are older than their retention. */
  sweepLogs(): Promise<void> {
    return this.parts.logs.sweep();
  }

  /** Adopts at the first order, and again after another process was the leader. */
  async #adoptOnce(): Promise<void> {
    if (this.#adopting && !(await this.parts.ownership.isMine())) await this.#release();
    this.#adopting ??= this.#adopt().catch(async error => {
      this.#adopting = undefined;
      throw error;
    });
    await this.#adopting;
  }

  async #adopt(): Promise<void> {
    const { balancer, ownership, leftBehind, monitor } = this.parts;
    const routes = await balancer.routes();
    await ownership.take();
    const routed = new Set(routes.flatMap(({ backends }) => backends.map(({ id }) => id)));
    const instances = await leftBehind.adopt();
    for (const [webServiceId, members] of Map.groupBy(instances, ({ record }) => record.webServiceId))
      this.#service(webServiceId).adopt(members, routed);
    await leftBehind.clear(this.#knows);
    const mayAct = async () => {
      const isMine = await ownership.isMine();
      if (!isMine) await this.#release();
      return isMine;
    };
    monitor.start(() => [...this.#services.values()], mayAct);
  }

  async #release(): Promise<void> {
    this.parts.monitor.stop();
    await this.#adopting?.catch(() => {});
    this.#adopting = undefined;
    const services = [...this.#services.values()];
    this.#services.clear();
    await Promise.all(services.map(service => service.detach()));
  }

  readonly #knows = (id: string): boolean =>
    this.parts.starter.isUnderWay(id) ||
    [...this.#services.values()].some(({ instances }) => instances.some(({ record }) => record.id === id));

  #service(webServiceId: string): RunningService {
    const known = this.#services.get(webServiceId);
    if (known) return known;
    const { balancer, log } = this.parts;
    const service = new RunningService(
      webServiceId,
      this.#hostOf(webServiceId),
      new Traffic(balancer, webServiceId),
      log,
    );
    this.#services.set(webServiceId, service);
    return service;
  }

  #hostOf(webServiceId: string): ReplicaSetHost {
    const { starter, times, ownership, logs } = this.parts;
    return {
      times,
      startInstance: async plan => {
        if (!(await ownership.isMine())) throw new Error('another process supervises the instances now');
        return starter.start(plan);
      },
      isOurs: () => ownership.isMine(),
      logLine: text => {
        const output = logs.writer(webServiceId, 'platform', []);
        output.write('platform', `${text}\n`);
        void output.close();
      },
    };
  }

  /** For a process that is not the leader: an instance that has traffic counts as healthy. */
  async #recordedStatus(webServiceId: string): Promise<RuntimeStatus | undefined> {
    const records = (await this.parts.ledger.list()).filter(record => record.webServiceId === webServiceId);
    const route = (await this.parts.balancer.routes()).find(({ id }) => id === webServiceId);
    const routed = new Set(route?.backends.map(({ id }) => id));
    const serving = records.find(({ id }) => routed.has(id)) ?? records.at(-1);
    if (!serving) return undefined;
    const ofRoll = records.filter(({ rollId }) => rollId === serving.rollId);
    const healthy = ofRoll.filter(({ id }) => routed.has(id)).length;
    return { rollId: serving.rollId, healthy, instances: ofRoll.length, lastFailure: undefined, restarts: 0 };
  }
}
