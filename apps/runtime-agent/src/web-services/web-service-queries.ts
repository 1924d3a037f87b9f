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
import { camelCased, Runtime, snakeCased } from '@postern/runtime';

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
    return { status: status ? snakeCased(status) : null };
  }

  @Handles(getRuntimeUsage)
  async usage(): Promise<ReplyOf<typeof getRuntimeUsage>> {
    return snakeCased({ services: await this.runtime.usage() });
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
    const { webServiceId, ...query } = camelCased(request);
    const page = await this.runtime.logPage(webServiceId, query);
    const lines = page.lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line }));
    return snakeCased({ ...page, lines });
  }

  @Handles(readTraffic)
  async traffic(): Promise<ReplyOf<typeof readTraffic>> {
    return snakeCased(await this.runtime.readTraffic());
  }

  @Handles(confirmTraffic)
  async confirm({ epoch, services }: RequestOf<typeof confirmTraffic>): Promise<ReplyOf<typeof confirmTraffic>> {
    const read = services.map(service => ({ bytes: 0, ...camelCased(service) }));
    await this.runtime.confirmTraffic({ epoch, services: read });
    return {};
  }
}
