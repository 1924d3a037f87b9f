import { createDeployKey, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { newDeployKeyPair } from './deploy-key-pair.js';
import { RepositoryCredentials } from './repository-credentials.js';

/** Creates the deploy key of a web service; it replaces an earlier one. */
@Handles(createDeployKey)
export class CreateDeployKey {
  constructor(
    private readonly owners: WebServices,
    private readonly credentials: RepositoryCredentials,
  ) {}

  async execute(request: RequestOf<typeof createDeployKey>): Promise<ReplyOf<typeof createDeployKey>> {
    const id = request.web_service_id;
    await this.owners.requireOwner(request, id);
    const pair = newDeployKeyPair(`postern-${id}`);
    await this.credentials.putDeployKey(id, pair);
    return { public_key: pair.publicKey };
  }
}
