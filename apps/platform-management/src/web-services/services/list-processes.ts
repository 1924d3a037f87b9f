import { listProcesses, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { WebServices } from './web-services.projection.js';

/** Lists the process types of a web service that receive no traffic: configured ones and running ones. */
@Handles(listProcesses)
export class ListProcesses {
  constructor(
    private readonly webServices: WebServices,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof listProcesses>): Promise<ReplyOf<typeof listProcesses>> {
    const { processes: configured = {} } = await this.webServices.require(request.web_service_id, request);
    const running = (await this.runtime.statusOf(request.web_service_id))?.processes ?? {};
    return [...new Set([...Object.keys(configured), ...Object.keys(running)])].sort().map(type => ({
      type,
      configured: configured[type] ?? 0,
      running: running[type]?.instances ?? 0,
      failure: running[type]?.failure ?? null,
    }));
  }
}
