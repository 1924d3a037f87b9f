import { getMetricsHistory, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { MetricStore } from './metric-store.js';
import { historyWindow, requestsReply, usageReply } from './metrics.js';

/** Returns the past usage of a web service. Refuses with `web_service_not_found`. */
@Handles(getMetricsHistory)
export class GetMetricsHistory {
  constructor(
    private readonly webServices: WebServices,
    private readonly metrics: MetricStore,
  ) {}

  async execute(request: RequestOf<typeof getMetricsHistory>): Promise<ReplyOf<typeof getMetricsHistory>> {
    const { web_service_id, period } = request;
    await this.webServices.requireOwner(request, web_service_id);
    const window = historyWindow(period, new Date());
    const points = await this.metrics.history(web_service_id, window);
    return {
      period,
      step: window.step,
      points: points.map(point => ({
        ...usageReply(point),
        timestamp: point.at.toISOString(),
        requests: requestsReply(point),
      })),
    };
  }
}
