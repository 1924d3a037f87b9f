import { getLogs, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';
import { WebServices } from './web-services.projection.js';

/** Returns log lines of a web service and its builds from the runtime. Lines outlive the instances. */
@Handles(getLogs)
export class GetLogs {
  constructor(
    private readonly webServices: WebServices,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof getLogs>): Promise<ReplyOf<typeof getLogs>> {
    await this.webServices.requireOwner(request, request.web_service_id);
    const { web_service_id, tail, since, search } = request;
    const lines = await this.runtime.logs(web_service_id, { tail, since, ...(search === undefined ? {} : { search }) });
    return { lines: lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line })) };
  }
}
