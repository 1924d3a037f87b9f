import {
  confirmTraffic,
  getRuntimeFeatures,
  getRuntimeStatus,
  getRuntimeUsage,
  readRuntimeLog,
  readRuntimeLogPage,
  readTraffic,
  reserveAddress,
  routeDomains,
  type runOrder,
  runtimeResult,
  type servicePlan,
} from '@postern/contracts';
import {
  type BuildOrder,
  type BuiltArtefact,
  type HealthCheckSettings,
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
import type { z } from 'zod';
import { RemoteLogWriter } from './remote-log-writer.js';
import { digestOf, type RuntimeAgent } from './runtime-agent.js';

/** Maximum number of references in one document. */
const LIST_LENGTH = 1_000;

/**
 * Web services that the runtime agent runs. While the agent does not respond, builds, roll-outs and stops wait, and
 * reads and reconciliations throw `RuntimeUnavailable`.
 */
export class RemoteRuntime extends Runtime {
  constructor(
    private readonly agent: RuntimeAgent,
    private readonly onLostLines: (error: unknown) => void = () => undefined,
  ) {
    super();
  }

  override isReachable(): Promise<boolean> {
    return this.agent.isReachable();
  }

  override async features(): Promise<ReadonlySet<RuntimeFeature>> {
    const { features } = await this.agent.request(getRuntimeFeatures, {});
    return new Set(features as RuntimeFeature[]);
  }

  async resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    const order = {
      kind: 'resolve_source',
      repository_url: source.repositoryUrl,
      branch: source.branch,
      credentials: credentialsOnTheWire(source),
    } as const;
    const result = await this.agent.execute(order, { signal, waits: true });
    const { host_keys: hostKeys, ...resolved } = runtimeResult.resolve_source.parse(result);
    return { ...resolved, hostKeys };
  }

  async build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    if (!(output instanceof RemoteLogWriter)) throw new TypeError('the output is not a log writer of this runtime');
    // The agent writes the build output itself, after the lines that this process has written.
    await output.flush();
    const result = await this.agent.execute(
      {
        kind: 'build',
        deployment_id: order.deploymentId,
        web_service_id: order.webServiceId,
        repository_url: order.repositoryUrl,
        commit: order.commit,
        build_command: order.buildCommand,
        clear_cache: order.clearCache,
        upload: order.upload && {
          id: order.upload.id,
          digest: order.upload.digest,
          size_bytes: order.upload.sizeBytes,
        },
        start_command: order.startCommand,
        root_directory: order.rootDirectory,
        environment: order.environment,
        secrets: [...order.secrets],
        credentials: credentialsOnTheWire(order),
        deadline_ms: Math.ceil(order.deadlineMs),
        output: { instance: output.instance, redact: [...output.redact] },
      },
      { signal, waits: true },
    );
    return runtimeResult.build.parse(result);
  }

  async roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    await this.agent.execute({ kind: 'roll_out', plan: onTheWire(plan) }, { signal, waits: true });
  }

  override async run(order: RunOrder, signal: AbortSignal): Promise<RunEnd> {
    const run = runOnTheWire(order);
    const result = await this.agent.execute({ kind: 'run_command', run }, { signal, waits: true });
    const { exit_code, reason } = runtimeResult.run_command.parse(result);
    return { exitCode: exit_code, reason };
  }

  async stop(webServiceId: string, signal?: AbortSignal): Promise<void> {
    const order = { kind: 'stop', web_service_id: webServiceId } as const;
    await this.agent.execute(order, { waits: true, ...(signal && { signal }) });
  }

  async remove(webServiceId: string): Promise<void> {
    await this.agent.execute({ kind: 'remove_web_service', web_service_id: webServiceId });
  }

  async reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void> {
    const documents = documentsOf(expected.map(onTheWire));
    await this.agent.execute({ kind: 'reconcile', plans: [...documents.keys()], rolling: [...rolling] }, { documents });
  }

  async statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    const { status } = await this.agent.request(getRuntimeStatus, { web_service_id: webServiceId });
    if (!status) return undefined;
    const { roll_id, last_failure, processes, ...counts } = status;
    return { rollId: roll_id, lastFailure: last_failure, ...counts, ...(processes && { processes }) };
  }

  async usage(): Promise<readonly ServiceUsage[]> {
    const { services } = await this.agent.request(getRuntimeUsage, {});
    return services.map(usage => ({
      webServiceId: usage.web_service_id,
      cpuMillicores: usage.cpu_millicores,
      cpuPercent: usage.cpu_percent,
      memoryBytes: usage.memory_bytes,
      memoryPercent: usage.memory_percent,
      instances: usage.instances,
    }));
  }

  async urlOf(webServiceId: string, name: string): Promise<string> {
    return (await this.agent.request(reserveAddress, { web_service_id: webServiceId, name })).url;
  }

  override async routeDomains(domains: readonly RoutedDomain[]): Promise<void> {
    await this.agent.request(routeDomains, {
      domains: domains.map(({ domain, webServiceId }) => ({ domain, web_service_id: webServiceId })),
    });
  }

  async logs(webServiceId: string, { streams, ...query }: LogQuery): Promise<readonly LogLine[]> {
    const { lines } = await this.agent.request(readRuntimeLog, {
      web_service_id: webServiceId,
      ...query,
      ...(streams && { streams: [...streams] }),
    });
    return lines.map(({ timestamp, ...line }) => ({ timestamp: new Date(timestamp), ...line }));
  }

  async logPage(webServiceId: string, { maxLines, maxBytes, ...query }: LogPageQuery): Promise<LogPage> {
    const request = { web_service_id: webServiceId, max_lines: maxLines, max_bytes: maxBytes, ...query };
    const page = await this.agent.request(readRuntimeLogPage, request);
    return {
      lines: page.lines.map(({ timestamp, ...line }) => ({ timestamp: new Date(timestamp), ...line })),
      next: page.next,
      hasMore: page.has_more,
      isIncomplete: page.is_incomplete,
      counts: page.counts,
    };
  }

  logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter {
    return new RemoteLogWriter(this.agent, webServiceId, instance, redact, this.onLostLines);
  }

  async readTraffic(): Promise<TrafficReading> {
    const { epoch, services } = await this.agent.request(readTraffic, {});
    return {
      epoch,
      services: services.map(({ web_service_id, bytes, up_to }) => ({
        webServiceId: web_service_id,
        bytes,
        upTo: up_to,
      })),
    };
  }

  async confirmTraffic({ epoch, services }: TrafficReading): Promise<void> {
    const confirmed = services.map(({ webServiceId, upTo }) => ({ web_service_id: webServiceId, up_to: upTo }));
    await this.agent.request(confirmTraffic, { epoch, services: confirmed });
  }

  async retainArtefacts(keep: ReadonlySet<string>): Promise<void> {
    const documents = documentsOf(listsOf(keep));
    await this.agent.execute({ kind: 'retain_artefacts', references: [...documents.keys()] }, { documents });
  }
}

/** JSON documents by their digests, which orders refer to. */
export const documentsOf = (values: readonly unknown[]): Map<string, string> =>
  new Map(values.map(value => JSON.stringify(value)).map(text => [digestOf(text), text]));

/** Splits the sorted items into lists of limited length; lists that have not changed are not sent again. */
export const listsOf = (items: ReadonlySet<string>): string[][] => {
  const sorted = [...items].sort();
  return Array.from({ length: Math.ceil(sorted.length / LIST_LENGTH) }, (_, index) =>
    sorted.slice(index * LIST_LENGTH, (index + 1) * LIST_LENGTH),
  );
};

const credentialsOnTheWire = ({ credentials }: Pick<Source, 'credentials'>) =>
  credentials && {
    ssh: credentials.ssh && { private_key: credentials.ssh.privateKey, known_hosts: credentials.ssh.knownHosts },
    https: credentials.https,
  };

const onTheWire = (plan: ServicePlan): z.output<typeof servicePlan> => ({
  web_service_id: plan.webServiceId,
  project_id: plan.projectId,
  name: plan.name,
  roll_id: plan.rollId,
  artefact: { reference: plan.artefact.reference, commit: plan.artefact.commit },
  start_command: plan.startCommand,
  port: plan.port,
  health_check_path: plan.healthCheckPath,
  health_check: plan.healthCheck && healthCheckOnTheWire(plan.healthCheck),
  first_byte_seconds: plan.firstByteSeconds,
  min_instances: plan.minInstances,
  max_instances: plan.maxInstances,
  environment: { ...plan.environment },
  files: plan.files && { ...plan.files },
  secrets: [...plan.secrets],
  deadline_ms: Math.ceil(plan.deadlineMs),
  instance: plan.instance && { memory_mib: plan.instance.memoryMib, cpu_millicores: plan.instance.cpuMillicores },
  drain_seconds: plan.drainSeconds,
  release_command: plan.releaseCommand,
  processes: plan.processes && { ...plan.processes },
  disk: plan.disk && { size_mib: plan.disk.sizeMib },
});

const healthCheckOnTheWire = (check: HealthCheckSettings): z.output<typeof servicePlan>['health_check'] => ({
  host: check.host,
  grace_seconds: check.graceSeconds,
  interval_seconds: check.intervalSeconds,
  timeout_seconds: check.timeoutSeconds,
  threshold: check.threshold,
});

const runOnTheWire = (order: RunOrder): z.output<typeof runOrder> => ({
  run_id: order.runId,
  web_service_id: order.webServiceId,
  instance: order.instance,
  artefact: { reference: order.artefact.reference, commit: order.artefact.commit },
  command: order.command,
  environment: { ...order.environment },
  files: order.files && { ...order.files },
  secrets: [...order.secrets],
  size: order.size && { memory_mib: order.size.memoryMib, cpu_millicores: order.size.cpuMillicores },
  deadline_ms: Math.ceil(order.deadlineMs),
  terminal: order.terminal && {
    token_hash: order.terminal.tokenHash,
    columns: order.terminal.columns,
    rows: order.terminal.rows,
  },
});
