import { Controller } from '@nestjs/common';
import { createApiKey, listApiKeys, type ReplyOf, type RequestOf, revokeApiKey } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { CreateApiKey } from '../../commands/create-api-key.js';
import { RevokeApiKey } from '../../commands/revoke-api-key.js';
import { ApiKeys } from '../../projections/api-keys.js';

/** API keys of an email service. */
@Controller()
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly creating: CreateApiKey,
    private readonly revoking: RevokeApiKey,
  ) {}

  @HandlesRequest(createApiKey)
  create(request: RequestOf<typeof createApiKey>): Promise<ReplyOf<typeof createApiKey>> {
    return this.creating.execute(request);
  }

  @HandlesRequest(listApiKeys)
  list(request: RequestOf<typeof listApiKeys>): Promise<ReplyOf<typeof listApiKeys>> {
    return this.keys.ofService(request);
  }

  @HandlesRequest(revokeApiKey)
  async revoke(request: RequestOf<typeof revokeApiKey>): Promise<ReplyOf<typeof revokeApiKey>> {
    await this.revoking.execute(request);
    return {};
  }
}
