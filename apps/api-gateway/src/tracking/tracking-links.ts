import type { TrackingTokens } from '@postern/mail';

/** The copy of an email to which a tracking link belongs. */
export interface TrackedCopy {
  readonly emailId: string;
  readonly recipientIndex: number;
}

/** Reads the tokens of links and pixels in messages, signed with the shared secrets; undefined for a token that Postern did not sign. */
export class TrackingLinks {
  constructor(private readonly tokens: TrackingTokens) {}

  copyOfPixel(token: string): TrackedCopy | undefined {
    return this.tokens.readOpenToken(token);
  }

  /** The copy whose recipient unsubscribes. */
  copyOfUnsubscription(token: string): TrackedCopy | undefined {
    return this.tokens.readUnsubscribeToken(token);
  }

  /** Whether the token identifies a mailbox that can refuse verification codes. */
  isOptOut(token: string): boolean {
    return this.tokens.readOptOutToken(token) !== undefined;
  }

  copyAndTargetOfLink(token: string): (TrackedCopy & { readonly url: string }) | undefined {
    return this.tokens.readClickToken(token);
  }
}
