/** The copy of an email to which a tracking link belongs. */
export interface TrackedCopy {
  readonly emailId: string;
  readonly recipientIndex: number;
}

/** Reads the signed tokens of pixels and links; undefined for a token that Postern did not sign. */
export abstract class TrackingLinks {
  abstract copyOfPixel(token: string): TrackedCopy | undefined;
  /** The copy whose recipient unsubscribes. */
  abstract copyOfUnsubscription(token: string): TrackedCopy | undefined;
  /** Whether the token identifies a mailbox that can refuse verification codes. */
  abstract isOptOut(token: string): boolean;
  abstract copyAndTargetOfLink(token: string): (TrackedCopy & { readonly url: string }) | undefined;
}
