import { Injectable } from '@nestjs/common';
import {
  confirmTraffic,
  describeIsolation,
  getRuntimeFeatures,
  getRuntimeStatus,
  getRuntimeUsage,
  type ReplyOf,
  type RequestOf,
  readRuntimeLog,
  readRuntimeLogPage,
  readTraffic,
  reserveAddress,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';

/** Answers queries of the control plane about running web services. */
@Injectable()
export class WebServiceQueries {
  constructor(private readonly runtime: Runtime) {}

  @Handles(getRuntimeFeatures)
  async features(): Promise<ReplyOf<typeof getRuntimeFeatures>> {
    return { features: [...(await this.runtime.features())] };
  }

  @Handles(describeIsolation)
  isolation(): ReplyOf<typeof describeIsolation> {
    return { gaps: [...this.runtime.isolationGaps] };
  }

  @Handles(getRuntimeStatus)
  async status({ web_service_id }: RequestOf<typeof getRuntimeStatus>): Promise<ReplyOf<typeof getRuntimeStatus>> {
    const status = await this.runtime.statusOf(web_service_id);
    if (!status) return { status: null };
    const { rollId: roll_id, lastFailure: last_failure, processes, ...counts } = status;
    return { status: { roll_id, last_failure, ...counts, ...(processes && { processes: { ...processes } }) } };
  }

  @Handles(getRuntimeUsage)
  async usage(): Promise<ReplyOf<typeof getRuntimeUsage>> {
    const services = await this.runtime.usage();
    return {
      services: services.map(usage => ({
        web_service_id: usage.webServiceId,
        cpu_millicores: usage.cpuMillicores,
        cpu_percent: usage.cpuPercent,
        memory_bytes: usage.memoryBytes,
        memory_percent: usage.memoryPercent,
        instances: usage.instances,
      })),
    };
  }

  @Handles(reserveAddress)
  async address({ web_service_id, name }: RequestOf<typeof reserveAddress>): Promise<ReplyOf<typeof reserveAddress>> {
    return { url: await this.runtime.urlOf(web_service_id, name) };
  }

  @Handles(readRuntimeLog)
  async log({ web_service_id, ...query }: RequestOf<typeof readRuntimeLog>): Promise<ReplyOf<typeof readRuntimeLog>> {
    const lines = await this.runtime.logs(web_service_id, { since: undefined, ...query });
    return { lines: lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line })) };
  }

  @Handles(readRuntimeLogPage)
  async logPage(request: RequestOf<typeof readRuntimeLogPage>): Promise<ReplyOf<typeof readRuntimeLogPage>> {
    const { web_service_id, after, max_lines: maxLines, max_bytes: maxBytes, ...query } = request;
    const page = await this.runtime.logPage(web_service_id, { after, maxLines, maxBytes, ...query });
    return {
      lines: page.lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line })),
      next: page.next,
      has_more: page.hasMore,
      is_incomplete: page.isIncomplete,
      ...(page.counts && { counts: page.counts }),
    };
  }

  @Handles(readTraffic)
  async traffic(): Promise<ReplyOf<typeof readTraffic>> {
    const { epoch, services } = await this.runtime.readTraffic();
    return {
      epoch,
      services: services.map(({ webServiceId, bytes, upTo }) => ({
        web_service_id: webServiceId,
        bytes,
        up_to: upTo,
      })),
    };
  }

  @Handles(confirmTraffic)
  async confirm({ epoch, services }: RequestOf<typeof confirmTraffic>): Promise<ReplyOf<typeof confirmTraffic>> {
    const read = services.map(({ web_service_id, up_to }) => ({ webServiceId: web_service_id, bytes: 0, upTo: up_to }));
    await this.runtime.confirmTraffic({ epoch, services: read });
    return {};
  }
}
