import { type ReplyOf, type RequestOf, restartWebService } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceRepository } from './ports.js';

/** Restarts the live deployment's artefact with the current environment. Returns the new status at once. */
@Handles(restartWebService)
export class RestartWebService {
  constructor(private readonly webServices: WebServiceRepository) {}

  async execute(request: RequestOf<typeof restartWebService>): Promise<ReplyOf<typeof restartWebService>> {
    const { user_id: userId, web_service_id: id } = request;
    const releaseId = uuidv7();
    const { status } = await this.webServices.execute(id, at => ({ kind: 'restart', userId, releaseId, at }));
    return { id, status };
  }
}
