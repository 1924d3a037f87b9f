import { deleteRegistryCredentials, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { RepositoryCredentials } from './repository-credentials.js';

/** Deletes the registry credentials of a web service. */
@Handles(deleteRegistryCredentials)
export class DeleteRegistryCredentials {
  constructor(
    private readonly owners: WebServices,
    private readonly credentials: RepositoryCredentials,
  ) {}

  async execute(
    request: RequestOf<typeof deleteRegistryCredentials>,
  ): Promise<ReplyOf<typeof deleteRegistryCredentials>> {
    await this.owners.requireOwner(request, request.web_service_id);
    const id = await this.credentials.remove(request.web_service_id, 'registry');
    if (id === undefined)
      throw new Refusal('registry_credentials_not_found', 'the web service has no registry credentials');
    return { id, deleted: true };
  }
}
