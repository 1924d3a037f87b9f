import { Injectable } from '@nestjs/common';
import type { getMetricsHistory, ReplyOf, RequestOf } from '@postern/contracts';
import { noSuchService } from '../web-services/aggregate/refusals.js';
import { historyWindow, usageReply } from './metrics.js';
import { MetricStore, WebServiceOwnership } from './ports.js';

/** What a web service used in the past. Refuses with `web_service_not_found`. */
@Injectable()
export class GetMetricsHistory {
  constructor(
    private readonly ownership: WebServiceOwnership,
    private readonly metrics: MetricStore,
  ) {}

  async execute({
    user_id,
    web_service_id,
    period,
  }: RequestOf<typeof getMetricsHistory>): Promise<ReplyOf<typeof getMetricsHistory>> {
    if (!(await this.ownership.find(user_id, web_service_id))) throw noSuchService();
    const window = historyWindow(period, new Date());
    const points = await this.metrics.history(web_service_id, window);
    return {
      period,
      step: window.step,
      points: points.map(point => ({ ...usageReply(point), timestamp: point.at.toISOString() })),
    };
  }
}
