import { Injectable } from '@nestjs/common';
import { currentContext, inSpan, runInContext, type TraceSpan } from '@postern/messaging';
import type { ReconcilerCommand } from '../services/aggregate/commands.js';
import type { WebService } from '../services/aggregate/state.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import type { Report } from './next-steps.js';

/** Span attribute with the outcome of a build or a release. */
export const OUTCOME = 'postern.deployment.outcome';

/**
 * Records events of the runtime. Builds and releases belong to the request that caused them: their events, log lines and spans have
 * its context, also after a failover.
 */
@Injectable()
export class Reports {
  constructor(private readonly repository: WebServiceRepository) {}

  async record(webServiceId: string, report: Report): Promise<WebService> {
    const record = () => this.repository.record(webServiceId, at => ({ ...report, at }) as ReconcilerCommand);
    const id = 'deploymentId' in report ? report.deploymentId : 'releaseId' in report ? report.releaseId : undefined;
    const origin = id === undefined || currentContext() ? undefined : await this.repository.originOf(webServiceId, id);
    return origin ? runInContext(origin, record) : record();
  }

  /** Runs `work` in a span with the context of the request for the deployment or release `id`. */
  async inRequestContext(
    webServiceId: string,
    id: string,
    name: string,
    work: (span: TraceSpan | undefined) => Promise<void>,
  ): Promise<void> {
    const origin = await this.repository.originOf(webServiceId, id);
    const attributes = { 'postern.web_service.id': webServiceId, 'postern.release.id': id };
    const inOwnSpan = () => inSpan(name, { attributes }, work);
    await (origin ? runInContext(origin, inOwnSpan) : inOwnSpan());
  }
}
