export {
  type BounceClass,
  type BounceEvidence,
  type BounceName,
  classifyBounce,
  classifyReply,
} from './bounce-class.js';
export {
  type ComposedMessage,
  CompositionError,
  composeMessage,
  type MessageDraft,
  messageBytes,
  type PreparedMessage,
  prepareMessage,
} from './compose.js';
export {
  concerns,
  type InboundLimits,
  type InboundMail,
  type OtherMail,
  type RecipientReport,
  type ReportedMessage,
  readInboundMail,
} from './delivery-notification.js';
export { type DkimIdentity, type DkimKeyPair, DkimSigner, dkimRecord, generateDkimKeyPair } from './dkim.js';
export { type HandOver, TOO_LATE } from './hand-over.js';
export { HandOverWindow } from './hand-over-window.js';
export type { HeaderLine } from './header-text.js';
export { addressKey, formatMailbox, type Mailbox, MailboxError, parseMailbox, sameAddress } from './mailbox.js';
export type { RelayConfig, RelayOffers } from './relay-config.js';
export { type NamedRelay, type Relay, type RelayedResult, RelaySet } from './relay-set.js';
export type { ReportAddress } from './report-address.js';
export { type CopyTracking, prepareTracking, type TrackedHtml } from './rewrite-html.js';
export { type TrackedClick, type TrackedRecipient, TrackingTokens } from './signed-token.js';
export { type HandOverResult, parseReply, type RefusedRecipient, type SmtpReply } from './smtp-answer.js';
export { type ProbeResult, SmtpPool } from './smtp-pool.js';
export { textFromHtml } from './text-from-html.js';
