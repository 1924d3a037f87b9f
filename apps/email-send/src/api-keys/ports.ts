import { Refusal } from '@postern/contracts/refusal';
import type { VerifiedDomain } from '../relay/ports.js';

/** The data about the email service of an API key that sending needs. */
export interface Sender {
  readonly serviceId: string;
  readonly workspaceId: string;
  readonly enabled: boolean;
  readonly mode: 'sandbox' | 'production';
  readonly openTracking: boolean;
  readonly clickTracking: boolean;
  /** Whether messages to suppressed addresses are stopped. */
  readonly suppression: boolean;
  readonly perMinuteLimit: number;
  /** Messages per UTC day. */
  readonly dailyLimit: number;
  /** Messages per UTC day through the shared sender to recipients that are not verified. */
  readonly sharedDailyLimit: number;
  /** By name (lower case, A-labels). Each key keeps one signer, because the signer caches the parsed key. */
  readonly verifiedDomains: ReadonlyMap<string, VerifiedDomain>;
  /** All domains of the service, verified or not; lower case, A-labels. */
  readonly registeredDomains: ReadonlySet<string>;
  /** Confirmed sandbox recipients, as `addressKey` of `@postern/mail` writes them. */
  readonly verifiedRecipients: ReadonlySet<string>;
}

/** Finds the sender of an API key in the database, so that revoking a key takes effect at once in every replica. */
export abstract class SenderDirectory {
  /** `keyHash` is the lower-case hex SHA-256 of the key. */
  abstract findByKeyHash(keyHash: string): Promise<Sender | undefined>;
  /** The current state of a service; undefined after its deletion. Used for messages of users, and copies that are retried. */
  abstract findByService(serviceId: string): Promise<Sender | undefined>;
}

/** The sender of a user's own service; refuses with `service_not_found` or `service_disabled`. */
export async function enabledSender(senders: SenderDirectory, serviceId: string): Promise<Sender> {
  const sender = await senders.findByService(serviceId);
  if (!sender) throw new Refusal('service_not_found', 'there is no such email service');
  if (!sender.enabled) throw new Refusal('service_disabled', 'this email service is disabled');
  return sender;
}

/** The sender of a key; refuses with `api_key_invalid` or `service_disabled`. */
export async function authenticated(senders: SenderDirectory, keyHash: string): Promise<Sender> {
  const sender = await senders.findByKeyHash(keyHash);
  if (!sender) throw new Refusal('api_key_invalid', 'the API key is not valid');
  if (!sender.enabled) throw new Refusal('service_disabled', 'this email service is disabled');
  return sender;
}
