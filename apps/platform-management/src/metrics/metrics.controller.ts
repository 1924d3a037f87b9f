import { Controller } from '@nestjs/common';
import { getMetrics, getMetricsHistory, type ReplyOf, type RequestOf } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { GetMetrics } from './get-metrics.js';
import { GetMetricsHistory } from './get-metrics-history.js';

/** What web services use and used. */
@Controller()
export class MetricsController {
  constructor(
    private readonly current: GetMetrics,
    private readonly past: GetMetricsHistory,
  ) {}

  @HandlesRequest(getMetrics)
  getMetrics(request: RequestOf<typeof getMetrics>): Promise<ReplyOf<typeof getMetrics>> {
    return this.current.execute(request);
  }

  @HandlesRequest(getMetricsHistory)
  getHistory(request: RequestOf<typeof getMetricsHistory>): Promise<ReplyOf<typeof getMetricsHistory>> {
    return this.past.execute(request);
  }
}
