import type { DkimSigner, Mailbox, TrackingTokens } from '@postern/mail';
import type { HandOverAnswer } from './hand-over.js';

/** How mail of a domain is signed, and where its bounces go. */
export interface VerifiedDomain {
  /** RSA, and Ed25519 where its record is published. */
  readonly signers: readonly DkimSigner[];
  /** The domain's own return-path domain, if its record points to the bounce domain of the installation. */
  readonly returnPathDomain?: string;
  /** The domain's own host of links and pixels, if its record leads to the installation. */
  readonly trackingHost?: string;
}

/** One recipient's copy, signed and ready. */
export interface MailCopy {
  readonly returnPath: string;
  readonly recipient: string;
  readonly bytes: Buffer | readonly Buffer[];
  /** Identifies the copy in delivery notifications (RFC 3461 ENVID). */
  readonly envelopeId: string;
  /** The workspace of the message; absent for mail of Postern itself. */
  readonly workspaceId?: string;
  readonly needsSmtpUtf8: boolean;
}

/** The upstream relays, tried in turn. Failures are returned: a relay never causes an exception. */
export abstract class MailRelay {
  /**
   * Ends within its own deadline and before `answerBy`. A copy that cannot start in time is `unreachable`; a copy whose
   * data was started without an answer is `unknown`, with the answer that a relay gives `later`.
   */
  abstract handOver(copy: MailCopy, answerBy?: Date): Promise<HandOverAnswer>;
  /** Whether a relay accepts non-ASCII addresses (RFC 6531). */
  abstract offersSmtpUtf8(): Promise<boolean>;
}

export interface CopySettings {
  readonly tokens: TrackingTokens;
  /** The public base URL of the gateway, without a trailing slash. */
  readonly publicUrl: string;
  /** The domain that receives delivery notifications. */
  readonly bounceDomain: string;
  /** Further headers with the id of the copy, which the relays repeat in their events. */
  readonly copyIdHeaders: readonly string[];
}

/** The operator's settings for sending. */
export abstract class SendingSettings {
  /** The shared sender of sandbox and fallback mail, and its domain, which is signed for when a key is configured. */
  abstract readonly sandboxSender: Mailbox;
  abstract readonly sandboxDomain: VerifiedDomain;
  /** Addresses at this domain are always verified and never counted. */
  abstract readonly simulatorDomain: string | undefined;
  abstract readonly copies: CopySettings;
  /** How long the body of a final message is kept. */
  abstract readonly bodyRetentionDays: number;
  /** How long messages themselves are kept. */
  abstract readonly messageRetentionDays: number;
}
