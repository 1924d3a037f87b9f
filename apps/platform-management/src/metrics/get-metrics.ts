import { getMetrics, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceOwners } from '../web-services/ports.js';
import { CURRENT_SECONDS, usageReply } from './metrics.js';
import { MetricStore } from './ports.js';

/** After a stop, a recent sample may still exist. */
const NOT_RUNNING = new Set(['created', 'stopped']);

/** Returns the current usage of a web service. Refuses with `nothing_to_report` if it is not running or has no recent sample. */
@Handles(getMetrics)
export class GetMetrics {
  constructor(
    private readonly webServices: WebServiceOwners,
    private readonly metrics: MetricStore,
  ) {}

  async execute(request: RequestOf<typeof getMetrics>): Promise<ReplyOf<typeof getMetrics>> {
    const { web_service_id } = request;
    const service = await this.webServices.requireOwner(request, web_service_id);
    const sample = NOT_RUNNING.has(service.status)
      ? undefined
      : await this.metrics.latest(web_service_id, new Date(Date.now() - CURRENT_SECONDS * 1000));
    if (!sample) throw new Refusal('nothing_to_report', 'the web service is not running');
    return usageReply(sample);
  }
}
