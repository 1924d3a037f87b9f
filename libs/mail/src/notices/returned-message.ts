import { type Fields, partText, readFields } from '../mime-part.js';
import { optional } from './field-values.js';
import type { ReportedMessage } from './inbound-mail.js';
import type { MailLeaves } from './mail-leaves.js';

const MAX_HEAD = 64 * 1024;

/** The headers of the returned message, from a separate part or from the rest of the text. */
export function returnedFields({ originals }: Pick<MailLeaves, 'originals'>, text = ''): Fields {
  const [part] = originals;
  if (part) return readFields(partText(part).slice(0, MAX_HEAD).replace(/^\n+/, '').split('\n\n', 1)[0] ?? '');
  const start = text.search(/^(?:Received|Return-Path|Message-ID|From|To|Subject|Date)[ \t]*:/im);
  return start < 0 ? new Map() : readFields(text.slice(start, start + MAX_HEAD).split(/\n[ \t>]*\n/, 1)[0] ?? '');
}

/** The message according to the returned headers. */
export function reportedMessage(fields: Fields): ReportedMessage {
  const messageId = /^<([^<>\s]{1,500})>/.exec(fields.get('message-id')?.[0] ?? '')?.[1];
  const copyIds = fields
    .get('x-postern-id')
    ?.slice(0, 5)
    .map(value => value.slice(0, 100));
  return { ...optional('messageId', messageId), ...optional('copyIds', copyIds) };
}
