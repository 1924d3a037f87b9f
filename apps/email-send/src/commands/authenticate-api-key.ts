import { Injectable } from '@nestjs/common';
import type { authenticateApiKey, ReplyOf, RequestOf } from '@postern/contracts';
import { emailRefusal } from '../domain/email-refusals.js';
import { type Sender, SenderDirectory } from '../ports.js';

/** The sender behind a key; refuses a key that is unknown and a service that is disabled. */
export async function authenticated(senders: SenderDirectory, keyHash: string): Promise<Sender> {
  const sender = await senders.findByKeyHash(keyHash);
  if (!sender) throw emailRefusal('api_key_invalid', 'the API key is not valid');
  if (!sender.enabled) throw emailRefusal('service_disabled', 'this email service is disabled');
  return sender;
}

/** Answers 401 and 403 before anybody looks at a body. */
@Injectable()
export class AuthenticateApiKey {
  constructor(private readonly senders: SenderDirectory) {}

  async execute({ api_key_hash }: RequestOf<typeof authenticateApiKey>): Promise<ReplyOf<typeof authenticateApiKey>> {
    return { service_id: (await authenticated(this.senders, api_key_hash)).serviceId };
  }
}
