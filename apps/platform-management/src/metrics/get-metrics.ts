import { Injectable } from '@nestjs/common';
import { type getMetrics, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { noSuchService } from '../web-services/aggregate/refusals.js';
import { CURRENT_SECONDS, usageReply } from './metrics.js';
import { MetricStore, WebServiceOwnership } from './ports.js';

/** A service that was stopped a moment ago still has a sample that is not old. */
const NOTHING_RUNS = new Set(['created', 'stopped']);

/** What a web service uses now. Refuses with `web_service_not_found` and, when nothing runs, `nothing_to_report`. */
@Injectable()
export class GetMetrics {
  constructor(
    private readonly ownership: WebServiceOwnership,
    private readonly metrics: MetricStore,
  ) {}

  async execute({ user_id, web_service_id }: RequestOf<typeof getMetrics>): Promise<ReplyOf<typeof getMetrics>> {
    const service = await this.ownership.find(user_id, web_service_id);
    if (!service) throw noSuchService();
    const sample = NOTHING_RUNS.has(service.status)
      ? undefined
      : await this.metrics.latest(web_service_id, new Date(Date.now() - CURRENT_SECONDS * 1000));
    if (!sample) throw new Refusal('nothing_to_report', 'the web service is not running and has nothing to report');
    return usageReply(sample);
  }
}
