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
  runtimeResult,
  type servicePlan,
} from '@postern/contracts';
import {
  type BuildOrder,
  type BuiltArtefact,
  camelCased,
  type DiskRestore,
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
  type StoredBackup,
  snakeCased,
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
    const order = { kind: 'resolve_source', ...snakeCased(source) } as const;
    const result = await this.agent.execute(order, { signal, waits: true });
    return camelCased(runtimeResult.resolve_source.parse(result));
  }

  async build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    if (!(output instanceof RemoteLogWriter)) throw new TypeError('the output is not a log writer of this runtime');
    // The agent writes the build output itself, after the lines that this process has written.
    await output.flush();
    const result = await this.agent.execute(
      {
        kind: 'build',
        ...snakeCased(order),
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
    const run = { ...snakeCased(order), deadline_ms: Math.ceil(order.deadlineMs) };
    const result = await this.agent.execute({ kind: 'run_command', run }, { signal, waits: true });
    return camelCased(runtimeResult.run_command.parse(result));
  }

  override async backUpDisk(webServiceId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    const order = { kind: 'back_up_disk', web_service_id: webServiceId, backup_id: backupId } as const;
    return camelCased(runtimeResult.back_up_disk.parse(await this.agent.execute(order, { signal })));
  }

  override async restoreDisk({ digest, ...restore }: DiskRestore, signal: AbortSignal): Promise<void> {
    const order = { kind: 'restore_disk', ...snakeCased(restore), backup_digest: digest } as const;
    await this.agent.execute(order, { signal });
  }

  override async retainDiskBackups(webServiceId: string, backupIds: ReadonlySet<string>): Promise<void> {
    const backup_ids = [...backupIds];
    await this.agent.execute({ kind: 'retain_disk_backups', web_service_id: webServiceId, backup_ids });
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
    return status ? camelCased(status) : undefined;
  }

  async usage(): Promise<readonly ServiceUsage[]> {
    return camelCased(await this.agent.request(getRuntimeUsage, {})).services;
  }

  async urlOf(webServiceId: string, name: string): Promise<string> {
    return (await this.agent.request(reserveAddress, { web_service_id: webServiceId, name })).url;
  }

  override async routeDomains(domains: readonly RoutedDomain[]): Promise<void> {
    await this.agent.request(routeDomains, snakeCased({ domains }));
  }

  async logs(webServiceId: string, { streams, ...query }: LogQuery): Promise<readonly LogLine[]> {
    const { lines } = await this.agent.request(readRuntimeLog, {
      web_service_id: webServiceId,
      ...query,
      ...(streams && { streams: [...streams] }),
    });
    return lines.map(({ timestamp, ...line }) => ({ timestamp: new Date(timestamp), ...line }));
  }

  async logPage(webServiceId: string, query: LogPageQuery): Promise<LogPage> {
    const page = camelCased(await this.agent.request(readRuntimeLogPage, snakeCased({ webServiceId, ...query })));
    return {
      ...page,
      lines: page.lines.map(({ timestamp, ...line }) => ({ timestamp: new Date(timestamp), ...line })),
    };
  }

  logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter {
    return new RemoteLogWriter(this.agent, webServiceId, instance, redact, this.onLostLines);
  }

  async readTraffic(): Promise<TrafficReading> {
    return camelCased(await this.agent.request(readTraffic, {}));
  }

  async confirmTraffic(reading: TrafficReading): Promise<void> {
    await this.agent.request(confirmTraffic, snakeCased(reading));
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

const onTheWire = (plan: ServicePlan): z.output<typeof servicePlan> => ({
  ...snakeCased(plan),
  deadline_ms: Math.ceil(plan.deadlineMs),
});
