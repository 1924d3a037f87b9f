import { isIP } from 'node:net';
import { authorOf } from '../author.js';
import { type Fields, type MimePart, partText, readFields } from '../mime-part.js';
import { fieldText, optional } from './field-values.js';
import type { InboundLimits, InboundMail, ReportedMessage } from './inbound-mail.js';

export type FeedbackReport = Extract<InboundMail, { kind: 'feedback_report' }>;

/** Reads an ARF report (RFC 5965); undefined if it has no type. */
export function arfReport(
  mail: MimePart,
  part: MimePart,
  reported: ReportedMessage,
  limits: InboundLimits,
): FeedbackReport | undefined {
  const content = partText(part);
  // In a truncated part, the last field (with its folded lines) is not reliable.
  const fields = readFields(part.isComplete ? content : content.replace(/\n[^\s][^\n]*(?:\n[ \t][^\n]*)*\n?$/, '\n'));
  const feedbackType = /^[a-z0-9-]{1,50}/.exec(fieldText(fields, 'feedback-type')?.toLowerCase() ?? '')?.[0];
  if (feedbackType === undefined) return undefined;
  const sourceIp = fieldText(fields, 'source-ip');
  return {
    kind: 'feedback_report',
    form: 'arf',
    ...optional('from', authorOf(mail.fields)),
    feedbackType,
    ...optional('userAgent', fieldText(fields, 'user-agent')),
    ...optional('sourceIp', sourceIp !== undefined && isIP(sourceIp) !== 0 ? sourceIp : undefined),
    ...optional('originalMailFrom', bare(fieldText(fields, 'original-mail-from'))),
    originalRecipients: (fields.get('original-rcpt-to') ?? [])
      .slice(0, limits.maxRecipients)
      .map(bare)
      .filter(address => address !== undefined),
    reported,
  };
}

const JMRP_RECIPIENT = 'x-hmxmroriginalrecipient';

/** Reads the format of Microsoft: the original message as an attachment, with a header that names the complainant. */
export function jmrpReport(
  mail: MimePart,
  original: Fields | undefined,
  reported: ReportedMessage,
): FeedbackReport | undefined {
  const recipient = bare(fieldText(original, JMRP_RECIPIENT) ?? fieldText(mail.fields, JMRP_RECIPIENT));
  if (recipient === undefined) return undefined;
  return {
    kind: 'feedback_report',
    form: 'jmrp',
    ...optional('from', authorOf(mail.fields)),
    feedbackType: 'abuse',
    userAgent: 'Microsoft-JMRP',
    originalRecipients: [recipient],
    reported,
  };
}

function bare(address: string | undefined): string | undefined {
  const inner = address?.trim().replace(/^<(.*)>$/, '$1');
  return inner === undefined || inner === '' || inner.length > 320 ? undefined : inner;
}
