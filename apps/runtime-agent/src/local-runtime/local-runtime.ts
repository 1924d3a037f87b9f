import {
  type BuildOrder,
  type BuiltArtefact,
  type DiskRestore,
  type LogLine,
  type LogPage,
  type LogPageQuery,
  type LogQuery,
  type LogWriter,
  type ResolvedSource,
  RollFailed,
  type RoutedDomain,
  type RunEnd,
  type RunOrder,
  Runtime,
  type RuntimeFeature,
  type RuntimeStatus,
  type ServicePlan,
  type ServiceUsage,
  type Source,
  type StoredBackup,
  type Terminal,
  type TrafficReading,
} from '@postern/runtime';
import { runReleaseCommand } from './commands/release-command.js';
import { recordedStatus } from './instances/recorded-status.js';
import type { LocalRuntimeParts } from './local-runtime-parts.js';
import type { ReplicaSetHost } from './rolls/replica-set.js';
import { RunningService } from './rolls/running-service.js';
import { Traffic } from './rolls/traffic.js';

/**
 * Runs web services as processes of this machine. Only the leader of a home may build, roll, stop and reconcile; every
 * process on the machine can read logs, addresses and the status. The first order adopts running instances.
 */
export class LocalRuntime extends Runtime {
  readonly #services = new Map<string, RunningService>();
  /** Removed web services. A late request must not reserve their address again. */
  readonly #removed = new Set<string>();
  #adopting: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;

  constructor(private readonly parts: LocalRuntimeParts) {
    super();
  }

  override async features(): Promise<ReadonlySet<RuntimeFeature>> {
    return this.parts.features;
  }

  override get isolationGaps(): readonly string[] {
    return this.parts.isolationGaps;
  }

  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    return this.parts.builds.resolveSource(source, signal);
  }

  build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    return this.parts.builds.build(order, output, signal);
  }

  async roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    await this.#adoptOnce();
    await this.parts.names.includeNew(plan);
    await this.#service(plan.webServiceId).roll(plan, signal);
  }

  override async run(order: RunOrder, signal: AbortSignal): Promise<RunEnd> {
    await this.#adoptOnce();
    if (this.#removed.has(order.webServiceId))
      return { exitCode: null, reason: 'not run because the web service was deleted' };
    return this.parts.commands.run({ ...order, isRelease: false }, signal);
  }

  override terminal(runId: string, token: string, waitMs: number): Promise<Terminal | undefined> {
    return this.parts.terminals.find(runId, token, waitMs);
  }

  override async backUpDisk(webServiceId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    await this.#adoptOnce();
    this.#requireExisting(webServiceId);
    return this.parts.diskBackups.backUp(webServiceId, backupId, signal);
  }

  override async restoreDisk(restore: DiskRestore, signal: AbortSignal): Promise<void> {
    await this.#adoptOnce();
    const { webServiceId } = restore;
    this.#requireExisting(webServiceId);
    const between = (replace: () => Promise<void>) =>
      this.#service(webServiceId).withoutDiskUser(async () => {
        this.#requireExisting(webServiceId);
        await replace();
      });
    await this.parts.diskBackups.restore(restore, between, signal);
  }

  override retainDiskBackups(webServiceId: string, backupIds: ReadonlySet<string>): Promise<void> {
    return this.parts.diskBackups.retain(webServiceId, backupIds);
  }

  async stop(webServiceId: string): Promise<void> {
    await this.#adoptOnce();
    await Promise.all([
      this.parts.commands.end(webServiceId, 'stopped because the web service was stopped', 'all'),
      this.#stopInstances(webServiceId),
    ]);
  }

  async remove(webServiceId: string): Promise<void> {
    const { balancer, builds, logs, commands, disks } = this.parts;
    this.#removed.add(webServiceId);
    await this.stop(webServiceId);
    await commands.remove(webServiceId);
    await balancer.remove(webServiceId);
    await this.parts.ports.routes();
    await this.parts.names.exclude(webServiceId);
    await builds.remove(webServiceId);
    await disks.remove(webServiceId);
    await logs.remove(webServiceId);
  }

  async reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void> {
    await this.#adoptOnce();
    const routes = new Map((await this.parts.ports.routes()).map(route => [route.id, route]));
    const plans = new Map(expected.map(plan => [plan.webServiceId, plan]));
    await this.parts.names.include(expected, routes);
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
        else if (service || (route && (!route.closed || route.closed === 'asleep')))
          await this.#stopInstances(webServiceId);
      }),
    );
    if (await this.parts.ownership.isMine()) await this.parts.orphanedInstances.clear(this.#knows);
    await this.parts.builds.reconcile();
  }

  async statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    return this.#adopting ? this.#services.get(webServiceId)?.status() : recordedStatus(this.parts, webServiceId);
  }

  usage(): Promise<readonly ServiceUsage[]> {
    return this.parts.monitor.usage([...this.#services.values()]);
  }

  async urlOf(webServiceId: string, name: string): Promise<string> {
    this.#requireExisting(webServiceId);
    return this.parts.ports.reserve(webServiceId, name);
  }

  override async routeDomains(domains: readonly RoutedDomain[]): Promise<void> {
    await this.parts.balancer.routeHosts(
      Object.fromEntries(domains.map(({ domain, webServiceId }) => [domain, webServiceId])),
    );
  }

  logs(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]> {
    return this.parts.logs.read(webServiceId, query);
  }

  logPage(webServiceId: string, query: LogPageQuery): Promise<LogPage> {
    return this.parts.logs.readPage(webServiceId, query);
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
    const used = (await this.parts.instanceRecords.list()).map(({ artefact }) => artefact);
    await this.parts.builds.retainArtefacts(new Set([...keep, ...used]));
    // A web service without output deletes none of its expired lines.
    await this.parts.logs.sweep();
  }

  /** Stops the supervision and leaves everything running for the next leader. The next order resumes it. */
  async detach(): Promise<void> {
    await this.#release();
    await this.parts.logs.close();
  }

  /** Adopts running instances at the first order, and again after another process was the leader. */
  async #adoptOnce(): Promise<void> {
    const adopted = this.#adopting;
    // During the adoption, the home may still belong to the process before.
    await adopted?.catch(() => {});
    if (adopted && !(await this.parts.ownership.isMine()) && this.#adopting === adopted) await this.#release();
    await this.#releasing;
    this.#adopting ??= this.#adopt().catch(async error => {
      this.#adopting = undefined;
      throw error;
    });
    await this.#adopting;
  }

  async #adopt(): Promise<void> {
    const { ports, ownership, orphanedInstances, monitor, commands } = this.parts;
    const routes = await ports.routes();
    await ownership.take();
    const routed = new Set(routes.flatMap(({ backends }) => backends.map(({ id }) => id)));
    const instances = await orphanedInstances.adopt();
    commands.adopt(instances.filter(({ record }) => record.command));
    const serving = instances.filter(({ record }) => !record.command);
    for (const [webServiceId, members] of Map.groupBy(serving, ({ record }) => record.webServiceId))
      this.#service(webServiceId).adopt(members, routed);
    await orphanedInstances.clear(this.#knows);
    void commands.sweep().catch(err => this.parts.log.warn({ err }, 'Old records of commands could not be deleted'));
    const mayAct = async () => {
      const isMine = await ownership.isMine();
      if (!isMine) await this.#release();
      return isMine;
    };
    monitor.start(
      () => [...this.#services.values()],
      () => commands.instances,
      mayAct,
    );
  }

  /** Concurrent calls share one release: a second one would drop what was adopted meanwhile. */
  #release(): Promise<void> {
    this.#releasing ??= this.#leave().finally(() => {
      this.#releasing = undefined;
    });
    return this.#releasing;
  }

  async #leave(): Promise<void> {
    this.parts.monitor.stop();
    await this.#adopting?.catch(() => {});
    this.#adopting = undefined;
    const services = [...this.#services.values()];
    this.#services.clear();
    await Promise.all([this.parts.commands.detach(), ...services.map(service => service.detach())]);
  }

  readonly #knows = (id: string): boolean =>
    this.parts.starter.isUnderWay(id) ||
    this.parts.commands.instances.some(({ record }) => record.id === id) ||
    [...this.#services.values()].some(({ instances }) => instances.some(({ record }) => record.id === id));

  async #stopInstances(webServiceId: string): Promise<void> {
    const service = this.#service(webServiceId);
    await service.stop();
    if (!service.busy) this.#services.delete(webServiceId);
  }

  #requireExisting(webServiceId: string): void {
    if (this.#removed.has(webServiceId)) throw new Error(`the web service ${webServiceId} is removed`);
  }

  #service(webServiceId: string): RunningService {
    const known = this.#services.get(webServiceId);
    if (known) return known;
    const { balancer, log } = this.parts;
    const host = this.#hostOf(webServiceId);
    const service = new RunningService(webServiceId, host, new Traffic(balancer, webServiceId), log);
    this.#services.set(webServiceId, service);
    return service;
  }

  #hostOf(webServiceId: string): ReplicaSetHost {
    const { starter, times, ownership, logs, commands } = this.parts;
    return {
      times,
      startInstance: (plan, publicHost) => ownership.whileMine(() => starter.start(plan, publicHost)),
      startProcess: (plan, processType) => ownership.whileMine(() => starter.startProcess(plan, processType)),
      release: async (plan, signal) => {
        await starter.checkProcesses(plan).catch((error: Error) => {
          throw new RollFailed(error.message);
        });
        await runReleaseCommand(plan, { commands, logs }, signal);
      },
      isOurs: () => ownership.isMine(),
      logLine: text => {
        const output = logs.writer(webServiceId, 'platform', []);
        output.write('platform', `${text}\n`);
        void output.close();
      },
    };
  }
}
