export { type AttachedFile, attachedFiles } from './attached-files.js';
export { type Attachment, mediaTypeOf } from './attachments.js';
export { BOUNCE_RULES_VERSION, type BounceName } from './bounces/bounce-rule.js';
export {
  type BounceClass,
  type BounceEvidence,
  classifyBounce,
  meaningOf,
} from './bounces/classify-bounce.js';
export {
  type ComposedMessage,
  composeMessage,
  type MessageDraft,
  messageBytes,
  messageParts,
  type PreparedMessage,
  prepareMessage,
} from './compose.js';
export { CompositionError } from './composition-error.js';
export { withCopyId, withUnsubscribeUrl } from './copy-headers.js';
export { COPY_ID_HEADER } from './copy-id-header.js';
export {
  type DkimIdentity,
  type DkimKeyPair,
  DkimSigner,
  dkimRecord,
  generateDkimKeyPair,
  generateEd25519KeyPair,
  signMessage,
} from './dkim.js';
export type { DmarcSource, DomainReport, TlsFailure } from './domain-reports/domain-report.js';
export { authorOfMail, readDomainReports } from './domain-reports/read-domain-reports.js';
export { escapeHtml, escapeHtmlAnywhere } from './escape-html.js';
export { type HandOver, HandOverWindow, TOO_LATE } from './hand-over.js';
export type { HeaderLine } from './header-text.js';
export type { ListUnsubscribe } from './list-unsubscribe.js';
export { addressKey, type Mailbox, MailboxError, parseMailbox } from './mailbox.js';
export { MimeError } from './mime-entity.js';
export { copyIdsIn } from './notices/copy-ids.js';
export type {
  InboundLimits,
  InboundMail,
  OtherMail,
  RecipientReport,
  ReportedMessage,
} from './notices/inbound-mail.js';
export { concerns, readInboundMail } from './notices/read-inbound-mail.js';
export type { RelayConfig, RelayOffers } from './relay-config.js';
export { type NamedRelay, type Relay, type RelayedResult, RelaySet } from './relay-set.js';
export type { ReportAddress } from './report-address.js';
export { type CopyTracking, hasTrackingMarks, prepareTracking, type TrackedHtml } from './rewrite-html.js';
export { type Certificate, selfSignedCertificate } from './self-signed-certificate.js';
export { type NamedCopy, type TrackedClick, type TrackedRecipient, TrackingTokens } from './signed-token.js';
export { type HandOverResult, parseReply, type RefusedRecipient, type SmtpReply } from './smtp-answer.js';
export { type ProbeResult, SmtpPool } from './smtp-pool.js';
export { prepareSubmittedMessage, readSubmittedMessage, type SubmittedMessage } from './submitted-message.js';
export { textFromHtml } from './text-from-html.js';
