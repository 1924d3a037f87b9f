import { type ReplyOf, type RequestOf, setGitToken } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { RepositoryCredentials } from './repository-credentials.js';
import { hostOfRepository } from './source-credentials.js';

/** Stores the access token of a web service for the host of its repository; it replaces an earlier one. */
@Handles(setGitToken)
export class SetGitToken {
  constructor(
    private readonly owners: WebServices,
    private readonly webServices: WebServiceRepository,
    private readonly credentials: RepositoryCredentials,
  ) {}

  async execute(request: RequestOf<typeof setGitToken>): Promise<ReplyOf<typeof setGitToken>> {
    const { web_service_id: id, username, token } = request;
    await this.owners.requireOwner(request, id);
    const { settings } = await this.webServices.stateOf(id);
    const host = hostOfRepository(settings?.git_repository_url ?? '');
    await this.credentials.putToken(id, 'git_token', { username, host }, token);
    return { username, host };
  }
}
