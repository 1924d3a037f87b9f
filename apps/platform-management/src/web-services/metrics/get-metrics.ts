import { getMetrics, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import type { WebService } from '../services/aggregate/state.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { MetricStore } from './metric-store.js';
import { CURRENT_SECONDS, usageReply } from './metrics.js';

/** Returns the current usage of a web service. Refuses with `nothing_to_report` if it is not running or has no recent sample. */
@Handles(getMetrics)
export class GetMetrics {
  constructor(
    private readonly owners: WebServices,
    private readonly webServices: WebServiceRepository,
    private readonly metrics: MetricStore,
  ) {}

  async execute(request: RequestOf<typeof getMetrics>): Promise<ReplyOf<typeof getMetrics>> {
    const { web_service_id } = request;
    await this.owners.requireOwner(request, web_service_id);
    const since = measuredSince(await this.webServices.stateOf(web_service_id), Date.now());
    const sample = since && (await this.metrics.latest(web_service_id, since));
    if (!sample) throw new Refusal('nothing_to_report', 'the web service is not running');
    return usageReply(sample);
  }
}

/** Samples of earlier instances do not count. Undefined if the web service has no instances. */
const measuredSince = ({ serving, rolling, instancesEndedAt }: WebService, nowMs: number): Date | undefined => {
  if (!serving && !rolling) return undefined;
  const recentMs = nowMs - CURRENT_SECONDS * 1000;
  return new Date(instancesEndedAt ? Math.max(recentMs, Date.parse(instancesEndedAt)) : recentMs);
};
