import type { DkimSigner } from '@postern/mail';

/** All that a send has to know about the email service that a key belongs to. */
export interface Sender {
  readonly serviceId: string;
  readonly workspaceId: string;
  readonly enabled: boolean;
  readonly mode: 'sandbox' | 'production';
  readonly openTracking: boolean;
  readonly clickTracking: boolean;
  /** Whether a send to a suppressed address is stopped. */
  readonly suppression: boolean;
  readonly perMinuteLimit: number;
  /** Messages per UTC day as the limit stands now. */
  readonly dailyLimit: number;
  /** By domain (lower case, A-labels): what signs for it. One signer per key is kept, for it caches the parsed key. */
  readonly verifiedDomains: ReadonlyMap<string, DkimSigner>;
  /** Every domain of the service, verified or not; lower case, A-labels. */
  readonly registeredDomains: ReadonlySet<string>;
  /** Confirmed sandbox recipients, lower case with the domain in A-labels. */
  readonly verifiedRecipients: ReadonlySet<string>;
}

/** Finds the sender behind an API key as the database has it now: a revoked key is unknown at once, in every replica. */
export abstract class SenderDirectory {
  /** `keyHash` is the lower-case hex SHA-256 of the key. */
  abstract findByKeyHash(keyHash: string): Promise<Sender | undefined>;
}

/** Addresses that bounced hard or complained, per email service. */
export abstract class SuppressionList {
  /** Which of the addresses (lower case) are listed for the service. */
  abstract suppressedAmong(serviceId: string, addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Mail that Postern itself has to send (codes, warnings), from `no-reply@` the sandbox domain. */
export abstract class SystemMail {
  /** Throws the refusal `relay_unavailable` where no relay took it; nothing was sent then. */
  abstract send(to: string, subject: string, text: string): Promise<void>;
}
