import { type ReplyOf, type RequestOf, restartWebService } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceRepository } from './web-service-repository.js';
import { WebServices } from './web-services.projection.js';

/** Restarts the artefact of the live deployment with the current environment. Returns the new status immediately. */
@Handles(restartWebService)
export class RestartWebService {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly owners: WebServices,
  ) {}

  async execute(request: RequestOf<typeof restartWebService>): Promise<ReplyOf<typeof restartWebService>> {
    const id = request.web_service_id;
    const { userId } = await this.owners.requireOwner(request, id);
    const releaseId = uuidv7();
    const { status } = await this.webServices.execute(id, at => ({ kind: 'restart', userId, releaseId, at }));
    return { id, status };
  }
}
