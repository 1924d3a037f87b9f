import { Injectable } from '@nestjs/common';
import {
  createProviderEndpoint,
  deleteProviderEndpoint,
  listProviderEndpoints,
  type RequestOf,
  rotateProviderEndpoint,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ProviderEndpointRepository } from './provider-endpoint-repository.js';
import { invalidInput } from './provider-refusals.js';
import { Providers } from './providers.js';

/** The URLs that receive the events of mail providers, for operators. */
@Injectable()
export class ProviderEndpoints {
  constructor(
    private readonly providers: Providers,
    private readonly endpoints: ProviderEndpointRepository,
  ) {}

  @Handles(createProviderEndpoint)
  create({ kind, ...given }: RequestOf<typeof createProviderEndpoint>) {
    const provider = this.providers.providerOf(kind);
    const credentials = provider.credentialsOf(given);
    const unused = Object.entries(given).find(([name, value]) => value !== undefined && !(name in credentials));
    if (unused) throw invalidInput(unused[0], `does not apply to ${kind}`);
    return this.endpoints.create({ kind, credentials, authentication: provider.authenticationOf(credentials) });
  }

  @Handles(listProviderEndpoints)
  list() {
    return this.endpoints.list();
  }

  @Handles(rotateProviderEndpoint)
  rotate({ endpoint_id }: RequestOf<typeof rotateProviderEndpoint>) {
    return this.endpoints.rotate(endpoint_id);
  }

  @Handles(deleteProviderEndpoint)
  async delete({ endpoint_id }: RequestOf<typeof deleteProviderEndpoint>) {
    await this.endpoints.delete(endpoint_id);
    return { id: endpoint_id, deleted: true as const };
  }
}
