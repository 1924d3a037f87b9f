import { addressKey, type Mailbox, MailboxError, MimeError, parseMailbox, readSubmittedMessage } from '@postern/mail';
import { draftEmail, type EmailDraft } from './email-draft.js';
import { invalidEmail } from './email-refusals.js';

const NO_TEXT = ' ';

/**
 * The draft of a message that was submitted over SMTP: the envelope determines the recipients; To and Cc only determine
 * which of them the message shows. Refuses what `draftEmail` refuses.
 */
export function draftSubmitted(recipients: readonly string[], content: Buffer): EmailDraft {
  const message = readMessage(content);
  if (message.from.length > 1) throw invalidEmail('from', 'more than one sender is not accepted');
  const shownTo = readable(message.to);
  const shownCc = readable(message.cc);
  const [inTo, inCc] = [shownTo, shownCc].map(list => new Set(list.map(({ address }) => addressKey(address))));
  const to = recipients.filter(address => inTo?.has(addressKey(address)));
  const cc = recipients.filter(address => !inTo?.has(addressKey(address)) && inCc?.has(addressKey(address)));
  const rest = recipients.filter(address => !inTo?.has(addressKey(address)) && !inCc?.has(addressKey(address)));
  // POST /emails requires a recipient in `to`; if the To header names no recipient, `to` contains all of them.
  const lists = to.length > 0 ? { to, cc, bcc: rest } : { to: [...rest, ...cc], cc: [], bcc: [] };
  const draft = draftEmail({
    ...lists,
    from: message.from[0] ?? '',
    ...(message.replyTo.length > 0 ? { reply_to: [...message.replyTo] } : {}),
    subject: message.subject,
    headers: {},
    tags: message.options.tags,
    tracking: message.options.tracking,
    ...(message.html === undefined ? {} : { message: message.html }),
    // A message without text, such as a file alone, is valid mail.
    text: message.text ?? (message.html === undefined ? NO_TEXT : ''),
  });
  const hidesTo = message.to.length === 0;
  return {
    ...draft,
    to: shownTo.length === 0 ? draft.to : shownTo,
    cc: shownCc,
    submitted: { mime: message.mime, hidesTo },
    ...(message.keptMessageId === undefined ? {} : { messageId: message.keptMessageId }),
  };
}

function readMessage(content: Buffer): ReturnType<typeof readSubmittedMessage> {
  try {
    return readSubmittedMessage(content);
  } catch (error) {
    if (error instanceof MimeError) throw invalidEmail('message', error.message);
    throw error;
  }
}

/** The Internet addresses among the entries of To or Cc, which are only shown; the envelope determines the recipients. */
const readable = (entries: readonly string[]): Mailbox[] =>
  entries.flatMap(entry => {
    try {
      return [parseMailbox(entry)];
    } catch (error) {
      if (error instanceof MailboxError) return [];
      throw error;
    }
  });
