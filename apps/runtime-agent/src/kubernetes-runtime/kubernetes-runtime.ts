import {
  type BuildOrder,
  type BuiltArtefact,
  type LogLine,
  type LogPage,
  type LogPageQuery,
  type LogQuery,
  type LogWriter,
  type ResolvedSource,
  type RoutedDomain,
  type RunEnd,
  type RunOrder,
  Runtime,
  type RuntimeFeature,
  type RuntimeStatus,
  type ServicePlan,
  type ServiceUsage,
  type Source,
  type TrafficReading,
} from '@postern/runtime';
import type { ImageBuilds } from './builds/image-builds.js';
import type { JobSources } from './builds/job-sources.js';
import type { Cluster } from './cluster.js';
import type { JobCommands } from './commands/job-commands.js';
import type { DomainRoutes } from './domains/domain-routes.js';
import type { LogFollower } from './logs/log-follower.js';
import { hostName, serviceName } from './objects/names.js';
import type { ServiceObjectSettings } from './objects/service-objects.js';
import type { ServiceRolls } from './rolls/service-rolls.js';
import { usageOf } from './usage.js';

/** The platform's log store for web services. */
export interface ServiceLogs {
  read(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]>;
  readPage(webServiceId: string, query: LogPageQuery): Promise<LogPage>;
  writer(webServiceId: string, instance: string, secrets: readonly string[]): LogWriter;
  remove(webServiceId: string): Promise<void>;
  close(): Promise<void>;
}

export interface KubernetesParts {
  readonly cluster: Cluster;
  readonly sources: JobSources;
  readonly builds: ImageBuilds;
  readonly rolls: ServiceRolls;
  readonly commands: JobCommands;
  readonly domains: DomainRoutes;
  readonly follower: LogFollower;
  readonly logs: ServiceLogs;
  readonly settings: ServiceObjectSettings;
}

/**
 * Runs web services in a namespace of a Kubernetes cluster. The platform's own state is authoritative: it reads only
 * the status of the objects that it applied. Only one process, the leader, may build, roll, stop and reconcile.
 */
export class KubernetesRuntime extends Runtime {
  constructor(private readonly parts: KubernetesParts) {
    super();
  }

  override async features(): Promise<ReadonlySet<RuntimeFeature>> {
    const features = [
      'instance',
      'drainSeconds',
      'releaseCommand',
      'processes',
      'disk',
      'secretFiles',
      'healthCheck',
      'autoscaling',
      'runs',
    ] as const;
    // Without a domain of the platform, no Ingress or Gateway leads to web services.
    return new Set(this.parts.settings.domain ? [...features, 'customDomains'] : features);
  }

  resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    return this.parts.sources.resolveSource(source, signal);
  }

  build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    return this.parts.builds.build(order, output, signal);
  }

  async roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    const { follower, rolls } = this.parts;
    follower.follow([plan]);
    await rolls.roll(plan, signal);
  }

  override run(order: RunOrder, signal: AbortSignal): Promise<RunEnd> {
    return this.parts.commands.run(order, signal);
  }

  async stop(webServiceId: string): Promise<void> {
    const { follower, rolls } = this.parts;
    await follower.drain(webServiceId, () => rolls.stop(webServiceId));
  }

  async remove(webServiceId: string): Promise<void> {
    const { rolls, builds, logs, commands, domains } = this.parts;
    await this.stop(webServiceId);
    await domains.remove(webServiceId);
    await commands.remove(webServiceId);
    await rolls.removeAddress(webServiceId);
    await rolls.removeDisk(webServiceId);
    await builds.remove(webServiceId);
    await logs.remove(webServiceId);
  }

  async reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void> {
    const { follower, rolls, commands, builds, sources } = this.parts;
    follower.follow(expected);
    await rolls.reconcile(expected, rolling);
    await commands.sweep();
    await builds.reconcile();
    await sources.reconcile();
  }

  statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    return this.parts.rolls.statusOf(webServiceId);
  }

  usage(): Promise<readonly ServiceUsage[]> {
    return usageOf(this.parts.cluster);
  }

  async urlOf(webServiceId: string, name: string): Promise<string> {
    const { rolls, settings, cluster } = this.parts;
    await rolls.ensureAddress(webServiceId, name);
    const { domain, scheme } = settings;
    if (domain) return `${scheme}://${hostName(webServiceId, name, domain)}`;
    return `http://${serviceName(webServiceId)}.${cluster.namespace}.svc`;
  }

  override async routeDomains(domains: readonly RoutedDomain[]): Promise<void> {
    await this.parts.domains.route(domains);
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

  /** A cluster does not count traffic per service. */
  async readTraffic(): Promise<TrafficReading> {
    return { epoch: '', services: [] };
  }

  async confirmTraffic(): Promise<void> {}

  async retainArtefacts(keep: ReadonlySet<string>): Promise<void> {
    const { builds, rolls } = this.parts;
    await builds.retain(new Set([...keep, ...(await rolls.imagesInUse())]));
  }

  /** Stops following the logs and leaves everything running. */
  async detach(): Promise<void> {
    await this.parts.follower.detach();
    await this.parts.logs.close();
  }
}
