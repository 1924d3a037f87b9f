import { deleteGitToken, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { RepositoryCredentials } from './repository-credentials.js';

/** Deletes the access token of a web service. */
@Handles(deleteGitToken)
export class DeleteGitToken {
  constructor(
    private readonly owners: WebServices,
    private readonly credentials: RepositoryCredentials,
  ) {}

  async execute(request: RequestOf<typeof deleteGitToken>): Promise<ReplyOf<typeof deleteGitToken>> {
    await this.owners.requireOwner(request, request.web_service_id);
    const id = await this.credentials.remove(request.web_service_id, 'git_token');
    if (id === undefined) throw new Refusal('git_token_not_found', 'the web service has no access token');
    return { id, deleted: true };
  }
}
