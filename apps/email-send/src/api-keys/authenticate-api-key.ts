import { authenticateApiKey, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { authenticated, SenderDirectory } from './ports.js';

/** Checks a key, so that 401 and 403 are returned before the body of a request is validated. */
@Handles(authenticateApiKey)
export class AuthenticateApiKey {
  constructor(private readonly senders: SenderDirectory) {}

  async execute({ api_key_hash }: RequestOf<typeof authenticateApiKey>): Promise<ReplyOf<typeof authenticateApiKey>> {
    return { service_id: (await authenticated(this.senders, api_key_hash)).serviceId };
  }
}
