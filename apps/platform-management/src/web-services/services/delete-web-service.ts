import { deleteWebService, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceRepository } from './web-service-repository.js';
import { WebServices } from './web-services.projection.js';

/** Deletes a web service and its previews for their users immediately; the reconciler then stops the instances and deletes the data. */
@Handles(deleteWebService)
export class DeleteWebService {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly owners: WebServices,
  ) {}

  async execute(request: RequestOf<typeof deleteWebService>): Promise<ReplyOf<typeof deleteWebService>> {
    const id = request.web_service_id;
    const { userId } = await this.owners.requireOwner(request, id);
    await this.webServices.execute(id, at => ({ kind: 'delete', userId, at }));
    for (const preview of await this.owners.previewsOf(id)) await this.webServices.deleteIfPresent(preview, userId);
    return { id, deleted: true };
  }
}
