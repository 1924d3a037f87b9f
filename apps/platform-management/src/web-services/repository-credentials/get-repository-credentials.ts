import { getRepositoryCredentials, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { RepositoryCredentials, type StoredToken } from './repository-credentials.js';

/** Returns the repository credentials of a web service, without secrets. */
@Handles(getRepositoryCredentials)
export class GetRepositoryCredentials {
  constructor(
    private readonly owners: WebServices,
    private readonly credentials: RepositoryCredentials,
  ) {}

  async execute(
    request: RequestOf<typeof getRepositoryCredentials>,
  ): Promise<ReplyOf<typeof getRepositoryCredentials>> {
    await this.owners.requireOwner(request, request.web_service_id);
    const { deployKey, gitToken, registry } = await this.credentials.of(request.web_service_id);
    return {
      deploy_key: deployKey
        ? {
            public_key: deployKey.publicKey,
            created_at: deployKey.createdAt.toISOString(),
            host_keys: [...deployKey.hostKeys],
          }
        : null,
      git_token: tokenReply(gitToken),
      registry: tokenReply(registry),
    };
  }
}

const tokenReply = (token: StoredToken | undefined) =>
  token ? { username: token.username, host: token.host, created_at: token.createdAt.toISOString() } : null;
