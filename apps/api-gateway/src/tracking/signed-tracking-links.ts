import type { TrackingTokens } from '@postern/mail';
import { type TrackedCopy, TrackingLinks } from './ports.js';

/** Links that email-send writes into messages, signed with the shared secrets. */
export class SignedTrackingLinks extends TrackingLinks {
  constructor(private readonly tokens: TrackingTokens) {
    super();
  }

  copyOfPixel(token: string): TrackedCopy | undefined {
    return this.tokens.readOpenToken(token);
  }

  copyOfUnsubscription(token: string): TrackedCopy | undefined {
    return this.tokens.readUnsubscribeToken(token);
  }

  isOptOut(token: string): boolean {
    return this.tokens.readOptOutToken(token) !== undefined;
  }

  copyAndTargetOfLink(token: string): (TrackedCopy & { readonly url: string }) | undefined {
    return this.tokens.readClickToken(token);
  }
}
