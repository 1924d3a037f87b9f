/** The cause of a bounce. */
export type BounceName =
  | 'unknown_user'
  | 'no_such_domain'
  | 'bad_address'
  | 'moved'
  | 'null_mx'
  | 'mailbox_disabled'
  | 'mailbox_full'
  | 'message_too_big'
  | 'sender_rejected'
  | 'authentication'
  | 'reputation'
  | 'rate_limited'
  | 'relaying_denied'
  | 'policy'
  | 'content'
  | 'loop'
  | 'expired'
  | 'unreachable'
  | 'system'
  | 'protocol'
  | 'other';

/** One row of the table: a pattern of server responses and its classification. */
export interface BounceRule {
  /** Stable; shown to owners and stored with bounces. */
  readonly id: string;
  readonly name: BounceName;
  readonly words: RegExp;
  /** The enhanced status code (RFC 3463) of the response, without its first digit; any if absent. */
  readonly code?: RegExp;
  /** The cause is temporary: never a hard bounce, regardless of `name`. */
  readonly isSoft?: true;
  /** Advice for the owner; defaults to the advice for `name`. */
  readonly advice?: string;
}

/** Increased with every change of a rule, so that stored notices can be classified again. */
export const BOUNCE_RULES_VERSION = 3;
