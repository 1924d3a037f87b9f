import { type ReplyOf, type RequestOf, stopWebService } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceRepository } from './web-service-repository.js';
import { WebServices } from './web-services.projection.js';

/** Stops a web service and cancels its deployments. Returns the new status immediately. */
@Handles(stopWebService)
export class StopWebService {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly owners: WebServices,
  ) {}

  async execute(request: RequestOf<typeof stopWebService>): Promise<ReplyOf<typeof stopWebService>> {
    const id = request.web_service_id;
    const { userId } = await this.owners.requireOwner(request, id);
    const { status } = await this.webServices.execute(id, at => ({ kind: 'stop', userId, at }));
    return { id, status };
  }
}
