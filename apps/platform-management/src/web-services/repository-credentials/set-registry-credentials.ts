import { parseImageReference, Refusal, type ReplyOf, type RequestOf, setRegistryCredentials } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServices } from '../services/web-services.projection.js';
import { RepositoryCredentials } from './repository-credentials.js';

/** Stores the credentials of a web service for the registry of its image; they replace earlier ones. */
@Handles(setRegistryCredentials)
export class SetRegistryCredentials {
  constructor(
    private readonly owners: WebServices,
    private readonly webServices: WebServiceRepository,
    private readonly credentials: RepositoryCredentials,
  ) {}

  async execute(request: RequestOf<typeof setRegistryCredentials>): Promise<ReplyOf<typeof setRegistryCredentials>> {
    const { web_service_id: id, username, password } = request;
    await this.owners.requireOwner(request, id);
    const { settings } = await this.webServices.stateOf(id);
    if (!settings?.image)
      throw new Refusal(
        'invalid_input',
        'the web service has no image whose registry could get credentials: set `image`',
      );
    const { registry: host } = parseImageReference(settings.image);
    await this.credentials.putToken(id, 'registry', { username, host }, password);
    return { username, host };
  }
}
