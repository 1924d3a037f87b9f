import { isIP } from 'node:net';
import { addressKey, parseMailbox } from './mailbox.js';
import { childParts, type Fields, type MimePart, partText, readFields, readPart } from './mime-part.js';
import { type ReportAddress, reportAddress } from './report-address.js';

/** What a notification says of one recipient (RFC 3464 §2.3). */
export interface RecipientReport {
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  readonly finalRecipient?: ReportAddress;
  readonly originalRecipient?: ReportAddress;
  /** As given, such as `5.1.1`; absent where the notification has none, never invented. */
  readonly status?: string;
  /** The text after the type in Diagnostic-Code, usually the last server's reply. */
  readonly diagnostic?: string;
  readonly remoteMta?: string;
}

/** What is known of the message a report is about. */
export interface ReportedMessage {
  /** Without angle brackets. */
  readonly messageId?: string;
}

/** Mail that came to a return path or a feedback address, read. */
export type InboundMail =
  | {
      readonly kind: 'delivery_notification';
      readonly envelopeId?: string;
      readonly reportingMta?: string;
      readonly perRecipient: readonly RecipientReport[];
      readonly reported: ReportedMessage;
    }
  | {
      readonly kind: 'feedback_report';
      /** The only author of the report, normalized; absent where there is none, or more than one. */
      readonly from?: string;
      /** Lower case: `abuse`, `fraud`, `not-spam`, … */
      readonly feedbackType: string;
      readonly userAgent?: string;
      readonly sourceIp?: string;
      readonly originalMailFrom?: string;
      readonly originalRecipients: readonly string[];
      readonly reported: ReportedMessage;
    }
  | { readonly kind: 'other'; readonly why: OtherMail };

/** Why mail is no report: what it looks like instead. */
export type OtherMail = 'auto_reply' | 'mail_loop' | 'bulk' | 'unreadable_report' | 'no_report';

/** How much of a mail is looked at; what is beyond counts as missing. */
export interface InboundLimits {
  readonly maxBytes: number;
  readonly maxRecipients: number;
}

const DEFAULT_LIMITS: InboundLimits = { maxBytes: 1024 * 1024, maxRecipients: 100 };
const ACTIONS: ReadonlySet<string> = new Set(['failed', 'delayed', 'delivered', 'relayed', 'expanded']);
const MAX_TEXT = 500;
const MAX_HOPS = 50;

/**
 * Reads mail that anyone may have sent. Never throws; takes nothing from a place where the mail may have been cut
 * off, so that a half-read address never stands for somebody else.
 */
export function readInboundMail(bytes: Uint8Array, limits: InboundLimits = DEFAULT_LIMITS): InboundMail {
  const seen = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, limits.maxBytes));
  const source = seen.toString('latin1').replace(/\r\n?/g, '\n');
  // The mail itself has no closing mark: only its parts' boundaries tell what is whole.
  const mail = readPart(source, true);
  if (mail.type === 'multipart/report') {
    const parts = childParts(mail);
    const reported = reportedMessage(parts);
    for (const part of parts) {
      if (part.type === 'message/delivery-status' || part.type === 'message/global-delivery-status') {
        return notification(part, reported, limits);
      }
      if (part.type === 'message/feedback-report') return feedback(mail, part, reported, limits);
    }
    return { kind: 'other', why: 'unreadable_report' };
  }
  return { kind: 'other', why: otherMail(mail.fields) };
}

/** True when a report names this address, as the final or the original recipient, in whichever spelling. */
export function concerns(report: RecipientReport, address: string): boolean {
  const key = addressKey(address);
  return [report.finalRecipient, report.originalRecipient].some(
    named => named?.spellings.some(spelling => addressKey(spelling) === key) === true,
  );
}

function notification(part: MimePart, reported: ReportedMessage, limits: InboundLimits): InboundMail {
  const groups = fieldGroups(part);
  const perMessage = groups[0];
  const perRecipient = groups
    .slice(0, limits.maxRecipients + 1)
    .map(recipientReport)
    .filter(report => report !== undefined);
  if (perRecipient.length === 0) return { kind: 'other', why: 'unreadable_report' };
  return {
    kind: 'delivery_notification',
    ...optional('envelopeId', text(perMessage, 'original-envelope-id')),
    ...optional('reportingMta', afterType(text(perMessage, 'reporting-mta'))),
    perRecipient,
    reported,
  };
}

/** The blocks between empty lines; the last one only where it surely is whole. */
function fieldGroups(part: MimePart): Fields[] {
  const blocks = partText(part).split(/\n(?:[ \t]*\n)+/, 10_000);
  if (!part.isComplete) blocks.pop();
  return blocks.map(readFields).filter(fields => fields.size > 0);
}

function recipientReport(fields: Fields): RecipientReport | undefined {
  const action = /^[a-z]+/.exec(fields.get('action')?.[0]?.toLowerCase() ?? '')?.[0];
  if (action === undefined || !isAction(action)) return undefined;
  // Two recipients in one block: whose action it is cannot be told.
  if ((fields.get('final-recipient')?.length ?? 0) > 1 || (fields.get('action')?.length ?? 0) > 1) return undefined;
  const finalRecipient = reportAddress(text(fields, 'final-recipient'));
  const originalRecipient = reportAddress(text(fields, 'original-recipient'));
  if (!finalRecipient && !originalRecipient) return undefined;
  return {
    action,
    ...optional('finalRecipient', finalRecipient),
    ...optional('originalRecipient', originalRecipient),
    ...optional('status', /^[245]\.\d{1,3}\.\d{1,3}(?!\d)/.exec(text(fields, 'status') ?? '')?.[0]),
    ...optional('diagnostic', afterType(text(fields, 'diagnostic-code'))),
    ...optional('remoteMta', afterType(text(fields, 'remote-mta'))),
  };
}

function isAction(action: string): action is RecipientReport['action'] {
  return ACTIONS.has(action);
}

function feedback(mail: MimePart, part: MimePart, reported: ReportedMessage, limits: InboundLimits): InboundMail {
  const content = partText(part);
  // Without its end, the last field (with its folded lines) cannot be trusted.
  const fields = readFields(part.isComplete ? content : content.replace(/\n[^\s][^\n]*(?:\n[ \t][^\n]*)*\n?$/, '\n'));
  const feedbackType = /^[a-z0-9-]{1,50}/.exec(text(fields, 'feedback-type')?.toLowerCase() ?? '')?.[0];
  if (feedbackType === undefined) return { kind: 'other', why: 'unreadable_report' };
  const sourceIp = text(fields, 'source-ip');
  return {
    kind: 'feedback_report',
    ...optional('from', authorOf(mail.fields)),
    feedbackType,
    ...optional('userAgent', text(fields, 'user-agent')),
    ...optional('sourceIp', sourceIp !== undefined && isIP(sourceIp) !== 0 ? sourceIp : undefined),
    ...optional('originalMailFrom', bare(text(fields, 'original-mail-from'))),
    originalRecipients: (fields.get('original-rcpt-to') ?? [])
      .slice(0, limits.maxRecipients)
      .map(bare)
      .filter(address => address !== undefined),
    reported,
  };
}

/** Two From fields, or two authors in one, can mean different things to a verifier and to us. */
function authorOf(fields: Fields): string | undefined {
  const [from, ...others] = fields.get('from') ?? [];
  if (from === undefined || others.length > 0) return undefined;
  try {
    return addressKey(parseMailbox(from.trim()).address);
  } catch {
    return undefined;
  }
}

/** The returned message or its headers: the part after the report. */
function reportedMessage(parts: readonly MimePart[]): ReportedMessage {
  const returned = parts.find(({ type }) =>
    /^(?:message\/(?:rfc822|global)|text\/rfc822-headers)(?:-headers)?$/.test(type),
  );
  if (!returned) return {};
  const head = partText(returned).split('\n\n', 1)[0] ?? '';
  const messageId = /^<([^<>\s]{1,500})>/.exec(readFields(head).get('message-id')?.[0] ?? '')?.[1];
  return optional('messageId', messageId);
}

function otherMail(fields: Fields): OtherMail {
  const autoSubmitted = text(fields, 'auto-submitted')?.toLowerCase();
  const precedence = text(fields, 'precedence')?.toLowerCase();
  if (fields.has('x-loop') || (fields.get('received')?.length ?? 0) > MAX_HOPS) return 'mail_loop';
  if (autoSubmitted !== undefined && !autoSubmitted.startsWith('no')) return 'auto_reply';
  if (precedence === 'auto_reply' || fields.has('x-autoreply') || fields.has('x-autorespond')) return 'auto_reply';
  if (precedence !== undefined && ['bulk', 'list', 'junk'].includes(precedence)) return 'bulk';
  return 'no_report';
}

function text(fields: Fields | undefined, name: string): string | undefined {
  const value = fields
    ?.get(name)?.[0]
    ?.replace(/[\x00-\x1f\x7f]+/g, ' ')
    .trim();
  return value === undefined || value === '' ? undefined : value.slice(0, MAX_TEXT);
}

/** `smtp; 550 no` → `550 no`. */
function afterType(value: string | undefined): string | undefined {
  const rest = value?.replace(/^[A-Za-z0-9-]+\s*;\s*/, '');
  return rest === '' ? undefined : rest;
}

function bare(address: string | undefined): string | undefined {
  const inner = address?.trim().replace(/^<(.*)>$/, '$1');
  return inner === undefined || inner === '' || inner.length > 320 ? undefined : inner;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
