import { emailRefusal } from '../emails/email-refusals.js';
import type { Sender, SenderDirectory } from './ports.js';

/** The sender of a key; refuses with `api_key_invalid` or `service_disabled`. */
export async function authenticated(senders: SenderDirectory, keyHash: string): Promise<Sender> {
  const sender = await senders.findByKeyHash(keyHash);
  if (!sender) throw emailRefusal('api_key_invalid', 'the API key is not valid');
  if (!sender.enabled) throw emailRefusal('service_disabled', 'this email service is disabled');
  return sender;
}
