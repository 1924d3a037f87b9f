import { type ReplyOf, type RequestOf, stopWebService } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceRepository } from './ports.js';

/** Stops a web service and cancels its deployments. Returns the new status at once. */
@Handles(stopWebService)
export class StopWebService {
  constructor(private readonly webServices: WebServiceRepository) {}

  async execute(request: RequestOf<typeof stopWebService>): Promise<ReplyOf<typeof stopWebService>> {
    const { user_id: userId, web_service_id: id } = request;
    const { status } = await this.webServices.execute(id, at => ({ kind: 'stop', userId, at }));
    return { id, status };
  }
}
