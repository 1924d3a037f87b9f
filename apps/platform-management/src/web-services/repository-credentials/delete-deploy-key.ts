import { deleteDeployKey, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { RepositoryCredentials } from './repository-credentials.js';

/** Deletes the deploy key of a web service with the host keys that were stored with it. */
@Handles(deleteDeployKey)
export class DeleteDeployKey {
  constructor(
    private readonly owners: WebServices,
    private readonly credentials: RepositoryCredentials,
  ) {}

  async execute(request: RequestOf<typeof deleteDeployKey>): Promise<ReplyOf<typeof deleteDeployKey>> {
    await this.owners.requireOwner(request, request.web_service_id);
    const id = await this.credentials.remove(request.web_service_id, 'deploy_key');
    if (id === undefined) throw new Refusal('deploy_key_not_found', 'the web service has no deploy key');
    return { id, deleted: true };
  }
}
