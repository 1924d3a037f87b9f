import type { LoadBalancerClient } from '@postern/load-balancer-client';
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
import type { LogStore } from './logs/log-store.js';
import type { ServiceFleets } from './rolls/service-fleets.js';

/** Where builds come from and where they end up. */
export interface Builds {
  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource>;
  build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact>;
  retainArtefacts(keep: ReadonlySet<string>): Promise<void>;
  /** Ends and deletes what was cut off with an earlier run of the platform. */
  reconcile(): Promise<void>;
}

/**
 * Runs web services as processes of this machine. Only one process of a home, the leader, may build, roll, stop and
 * reconcile; logs, addresses and the status can be read by every one on the same machine.
 */
export class LocalRuntime extends Runtime {
  constructor(
    private readonly builds: Builds,
    private readonly fleets: ServiceFleets,
    private readonly balancer: LoadBalancerClient,
    private readonly store: LogStore,
  ) {
    super();
  }

  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    return this.builds.resolveSource(source, signal);
  }

  build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact> {
    return this.builds.build(order, output, signal);
  }

  roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    return this.fleets.roll(plan, signal);
  }

  stop(webServiceId: string): Promise<void> {
    return this.fleets.stop(webServiceId);
  }

  async reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void> {
    await this.fleets.reconcile(expected, rolling);
    await this.builds.reconcile();
  }

  statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    return this.fleets.statusOf(webServiceId);
  }

  usage(): Promise<readonly ServiceUsage[]> {
    return this.fleets.usage();
  }

  urlOf(webServiceId: string, name: string): Promise<string> {
    return this.balancer.reserve(webServiceId, name);
  }

  logs(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]> {
    return this.store.read(webServiceId, query);
  }

  logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter {
    return this.store.writer(webServiceId, instance, redact);
  }

  readTraffic(): Promise<TrafficReading> {
    return this.balancer.readTraffic();
  }

  confirmTraffic(reading: TrafficReading): Promise<void> {
    return this.balancer.confirmTraffic(reading);
  }

  async retainArtefacts(keep: ReadonlySet<string>): Promise<void> {
    await this.builds.retainArtefacts(new Set([...keep, ...(await this.fleets.artefactsInUse())]));
  }

  /** Stops looking after everything and leaves it running, for the next leader. The next order takes it up again. */
  async detach(): Promise<void> {
    await this.fleets.detach();
    await this.store.close();
  }

  /** Deletes lines that have grown too old. */
  sweepLogs(): Promise<void> {
    return this.store.sweep();
  }
}
