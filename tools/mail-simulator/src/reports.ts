import { randomUUID } from 'node:crypto';
import type { Action } from './recipient-outcome.js';

/** The properties of an accepted message that reports use. */
export interface AcceptedMail {
  envelopeFrom: string;
  envid: string | undefined;
  ret: string | undefined;
  clientAddress: string;
  raw: Buffer;
  receivedAt: Date;
}

/** A recipient of the message; `orcpt` is `type;address`, decoded from xtext. */
export interface AcceptedRecipient {
  address: string;
  orcpt: string | undefined;
}

/** The delivery status of a recipient in a notification. */
export interface RecipientStatus {
  action: Action;
  status: string;
  reply: string;
}

/** Composes a delivery status notification (RFC 3464; for addresses beyond ASCII RFC 6533). */
export function deliveryStatus(
  mail: AcceptedMail,
  to: AcceptedRecipient,
  status: RecipientStatus,
  domain: string,
): Buffer {
  const now = new Date();
  const international = !isAscii(to.address + (to.orcpt ?? '') + mail.envelopeFrom);
  const perMessage = [
    ...(mail.envid ? [`Original-Envelope-Id: ${oneLine(mail.envid)}`] : []),
    `Reporting-MTA: dns; ${domain}`,
    `Arrival-Date: ${rfc5322Date(mail.receivedAt)}`,
  ];
  const perRecipient = [
    ...(to.orcpt ? [`Original-Recipient: ${oneLine(to.orcpt)}`] : []),
    `Final-Recipient: ${international ? 'utf-8' : 'rfc822'}; ${to.address}`,
    `Action: ${status.action}`,
    `Status: ${status.status}`,
    `Remote-MTA: dns; mx.${domain}`,
    `Diagnostic-Code: smtp; ${status.reply}`,
    `Last-Attempt-Date: ${rfc5322Date(now)}`,
  ];
  if (status.action === 'delayed') {
    perRecipient.push(`Will-Retry-Until: ${rfc5322Date(new Date(now.getTime() + 4 * 3_600_000))}`);
  }
  // RFC 3461 §6.2: RET applies to failures only; a report of success never contains the body.
  const original =
    status.action === 'failed' && mail.ret === 'FULL'
      ? { type: 'message/rfc822', content: mail.raw }
      : { type: 'text/rfc822-headers', content: headersOf(mail.raw) };
  return report({
    domain,
    to: mail.envelopeFrom,
    subject: `Delivery status: ${status.action}`,
    type: 'delivery-status',
    text: `Your message to ${to.address}: ${status.action}.\r\nThe receiving server responded: ${status.reply}\r\n`,
    fieldsType: international ? 'message/global-delivery-status' : 'message/delivery-status',
    fields: `${perMessage.join('\r\n')}\r\n\r\n${perRecipient.join('\r\n')}\r\n`,
    original,
  });
}

/** Composes the feedback report of a recipient who reported the message as spam (RFC 5965). */
export function feedbackReport(mail: AcceptedMail, to: AcceptedRecipient, domain: string): Buffer {
  const fields = [
    'Feedback-Type: abuse',
    'User-Agent: Postern-Simulator/1',
    'Version: 1',
    ...(mail.envid ? [`Original-Envelope-Id: ${oneLine(mail.envid)}`] : []),
    `Original-Mail-From: <${mail.envelopeFrom}>`,
    `Original-Rcpt-To: <${to.address}>`,
    `Arrival-Date: ${rfc5322Date(mail.receivedAt)}`,
    `Reporting-MTA: dns; ${domain}`,
    `Source-IP: ${mail.clientAddress}`,
  ];
  return report({
    domain,
    to: mail.envelopeFrom,
    subject: 'Complaint about a message',
    type: 'feedback-report',
    text: `The owner of ${to.address} reported this message as spam.\r\n`,
    fieldsType: 'message/feedback-report',
    fields: `${fields.join('\r\n')}\r\n`,
    original: { type: 'message/rfc822', content: mail.raw },
  });
}

interface Report {
  domain: string;
  to: string;
  subject: string;
  type: string;
  text: string;
  fieldsType: string;
  fields: string;
  original: { type: string; content: Buffer };
}

function report(parts: Report): Buffer {
  // A random boundary cannot occur in the attached original.
  const boundary = `postern-${randomUUID()}`;
  const part = (type: string, content: string | Buffer): Buffer[] => {
    const bytes = Buffer.from(content);
    const encoding = isAscii(bytes.toString('latin1')) ? '7bit' : '8bit';
    const head = `--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
    return [Buffer.from(head), bytes, Buffer.from('\r\n')];
  };
  const head = [
    `From: Mail Delivery System <MAILER-DAEMON@${parts.domain}>`,
    `To: <${parts.to}>`,
    `Subject: ${parts.subject}`,
    `Date: ${rfc5322Date(new Date())}`,
    `Message-ID: <${randomUUID()}@${parts.domain}>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${parts.type}; boundary="${boundary}"`,
  ];
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`),
    ...part('text/plain; charset=utf-8', parts.text),
    ...part(parts.fieldsType, parts.fields),
    ...part(parts.original.type, parts.original.content),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

function headersOf(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n');
  return end < 0 ? raw : raw.subarray(0, end + 2);
}

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');
const rfc5322Date = (date: Date): string => date.toUTCString().replace('GMT', '+0000');
