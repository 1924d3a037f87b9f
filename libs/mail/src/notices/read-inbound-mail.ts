import { addressKey } from '../mailbox.js';
import { type Fields, type MimePart, partText, readPart } from '../mime-part.js';
import { arfReport, jmrpReport } from './feedback-report.js';
import { afterType, fieldText, optional } from './field-values.js';
import type { InboundLimits, InboundMail, OtherMail, RecipientReport } from './inbound-mail.js';
import { type MailLeaves, mailLeaves } from './mail-leaves.js';
import { oneLine } from './quoted-reply.js';
import { reportedMessage, returnedFields } from './returned-message.js';
import { type StatusFields, statusFields, statusFieldsInText } from './status-fields.js';
import { type TextNotice, textNotice } from './text-notice.js';

const DEFAULT_LIMITS: InboundLimits = { maxBytes: 1024 * 1024, maxRecipients: 100 };
const MAX_HOPS = 50;
const MAX_OTHER_TEXT = 2_000;

/**
 * Reads untrusted mail. Never throws; ignores text that may be truncated, so that a truncated address is never taken for
 * another one.
 */
export function readInboundMail(bytes: Uint8Array, limits: InboundLimits = DEFAULT_LIMITS): InboundMail {
  const seen = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, limits.maxBytes));
  const text = seen.toString('latin1').replace(/\r\n?/g, '\n');
  // A truncated line can name another recipient.
  const source = seen.byteLength < bytes.byteLength ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
  // A mail has no end marker: only the boundaries of its parts show which parts are complete.
  const mail = readPart(source, true);
  const leaves = mailLeaves(mail);
  const original = returnedFields(leaves);
  const reported = reportedMessage(original);
  if (leaves.feedback) {
    return arfReport(mail, leaves.feedback, reported, limits) ?? other(mail, leaves, 'unreadable_report');
  }
  const jmrp = jmrpReport(mail, original, reported);
  if (jmrp) return jmrp;
  const notice = textNotice(mail, leaves, limits);
  for (const part of leaves.statuses) {
    const status = statusFields(part, limits);
    if (status.perRecipient.length > 0) return notification(status, original, notice);
  }
  if (notice.kind !== 'auto_reply') {
    const inText = statusFieldsInText(notice.notice, limits);
    if (inText.perRecipient.length > 0) return notification(inText, notice.returned, notice);
  }
  const forwarded =
    notice.perRecipient.every(({ words = '' }) => !words.includes('@')) && forwardedReport(leaves, limits);
  if (forwarded) return forwarded;
  return notice.kind === 'failed' || notice.kind === 'delayed'
    ? {
        kind: 'delivery_notification',
        form: 'text',
        perRecipient: notice.perRecipient,
        reported: reportedMessage(notice.returned),
      }
    : other(mail, leaves, notice.kind === 'auto_reply' ? 'auto_reply' : otherMail(mail, leaves));
}

/** True if a report names this address, as the final or the original recipient, in any spelling. */
export function concerns(report: RecipientReport, address: string): boolean {
  const key = addressKey(address);
  return [report.finalRecipient, report.originalRecipient].some(
    named => named?.spellings.some(spelling => addressKey(spelling) === key) === true,
  );
}

/** The report inside a mail that forwards it and names no recipient itself. */
function forwardedReport({ originals, statuses }: MailLeaves, limits: InboundLimits): InboundMail | undefined {
  const [part, ...others] = originals;
  if (!part || others.length > 0 || statuses.length > 0) return undefined;
  const mail = readPart(partText(part).replace(/^\n+/, ''), part.isComplete);
  const leaves = mailLeaves(mail);
  const [status] = leaves.statuses;
  const read = status && statusFields(status, limits);
  if (!read || read.perRecipient.length === 0) return undefined;
  return notification(read, returnedFields(leaves), textNotice(mail, leaves, limits));
}

function notification({ perMessage, perRecipient }: StatusFields, original: Fields, text: TextNotice): InboundMail {
  return {
    kind: 'delivery_notification',
    form: 'status_fields',
    ...optional('envelopeId', fieldText(perMessage, 'original-envelope-id')),
    ...optional('reportingMta', afterType(fieldText(perMessage, 'reporting-mta'))),
    perRecipient: perRecipient.map(report => ({
      ...report,
      ...forwardOf(report, text),
      ...optional('words', wordsAbout(report, text)),
    })),
    reported: reportedMessage(original),
  };
}

/** Exim reports the forwarded address as the final one; its text names the address that failed. */
function forwardOf(report: RecipientReport, { perRecipient }: TextNotice): Partial<RecipientReport> {
  if (report.action !== 'failed') return {};
  const forward = perRecipient.find(
    ({ finalRecipient, originalRecipient }) =>
      finalRecipient &&
      originalRecipient &&
      concerns(report, originalRecipient.address) &&
      !concerns(report, finalRecipient.address),
  );
  if (!forward?.finalRecipient) return {};
  const originalRecipient = report.originalRecipient ?? report.finalRecipient;
  return { finalRecipient: forward.finalRecipient, ...optional('originalRecipient', originalRecipient) };
}

/** The text of the human-readable part, if it names the same recipient or no recipient. */
function wordsAbout(report: RecipientReport, { perRecipient }: TextNotice): string | undefined {
  const about = perRecipient.find(({ finalRecipient }) => finalRecipient && concerns(report, finalRecipient.address));
  return (about ?? (perRecipient.length === 1 ? perRecipient[0] : undefined))?.words;
}

function other({ fields }: MimePart, { texts }: MailLeaves, why: OtherMail): InboundMail {
  const subject = fieldText(fields, 'subject');
  const words = oneLine(texts.join(' ').slice(0, 2 * MAX_OTHER_TEXT));
  const text = [subject, words].filter(part => part !== undefined && part !== '').join(': ');
  return { kind: 'other', why, text: text.slice(0, MAX_OTHER_TEXT) };
}

function otherMail({ fields }: MimePart, { statuses, feedback }: MailLeaves): OtherMail {
  const precedence = fieldText(fields, 'precedence')?.toLowerCase();
  if (statuses.length > 0 || feedback) return 'unreadable_report';
  if (fields.has('x-loop') || (fields.get('received')?.length ?? 0) > MAX_HOPS) return 'mail_loop';
  if (precedence !== undefined && ['bulk', 'list', 'junk'].includes(precedence)) return 'bulk';
  return 'no_report';
}
