/** Causes of a bounce after which the address is suppressed. */
export const HARD_BOUNCE_CAUSES = [
  'unknown_user',
  'no_such_domain',
  'bad_address',
  'moved',
  'null_mx',
  'mailbox_disabled',
] as const;

/** Causes of a bounce that do not mean that the address is dead. */
export const SOFT_BOUNCE_CAUSES = [
  'mailbox_full',
  'message_too_big',
  'sender_rejected',
  'authentication',
  'reputation',
  'rate_limited',
  'relaying_denied',
  'policy',
  'content',
  'loop',
  'expired',
  'unreachable',
  'system',
  'protocol',
  'other',
] as const;
