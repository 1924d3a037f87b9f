import type { Fields, MimePart } from '../mime-part.js';
import { reportAddress } from '../report-address.js';
import { optional } from './field-values.js';
import type { InboundLimits, RecipientReport } from './inbound-mail.js';
import type { MailLeaves } from './mail-leaves.js';
import { sectionsOf } from './notice-recipients.js';
import { kindOfNotice, type NoticeKind, noticeHeaders, splitReturned } from './notice-text.js';
import { oneLine, quotedReply, quotedStatus } from './quoted-reply.js';
import { returnedFields } from './returned-message.js';

/** A notification, read from its text. */
export interface TextNotice {
  readonly kind: NoticeKind;
  readonly perRecipient: readonly RecipientReport[];
  readonly returned: Fields;
  readonly notice: string;
}

const MAX_DIAGNOSTIC = 500;
const MAX_WORDS = 4_000;
/** The texts of Postfix, sendmail and Exim that name the forwarded address. */
const FORWARDED = /\((?:expanded|generated) from:?\s{0,20}<?([^\s<>()]{1,320})>?\)/i;
const ANY_ADDRESS = /[^\s<>"'(),;:]{1,64}@[^\s<>"'(),;:]{1,255}/g;

/** Reads a notification from its text: the recipients, the quoted reply, and whether the message has failed. */
export function textNotice(mail: MimePart, leaves: MailLeaves, limits: InboundLimits): TextNotice {
  const headers = noticeHeaders(mail.fields);
  const { notice, returned: rest } = splitReturned(leaves.texts.join('\n\n'));
  const returned = returnedFields(leaves, rest);
  const strangers = addressesIn(mail.fields, ['from', 'to', 'cc', 'reply-to', 'sender', 'return-path', 'delivered-to']);
  for (const address of addressesIn(returned, ['from', 'sender', 'reply-to'])) strangers.add(address);
  const failed = headers.failedRecipients.flatMap(value => value.match(ANY_ADDRESS) ?? []);
  const sections = sectionsOf(notice, failed, strangers).slice(0, limits.maxRecipients);
  const reply = quotedReply(notice);
  const kind = kindOfNotice(headers, notice, reply !== undefined && reply.code >= 500);
  const action = kind === 'delayed' ? 'delayed' : 'failed';
  const [onlyRecipient, ...others] = [...addressesIn(returned, ['to'])];
  const perRecipient = sections.map(({ address, text }): RecipientReport => {
    const own = quotedReply(text) ?? (sections.length === 1 ? reply : undefined);
    const words = oneLine(text).slice(0, MAX_WORDS);
    return {
      action,
      ...optional('finalRecipient', reportAddress(address ?? (others.length === 0 ? onlyRecipient : undefined))),
      ...optional('originalRecipient', reportAddress(FORWARDED.exec(text)?.[1])),
      ...optional('status', quotedStatus(own?.text.slice(0, 200) ?? '') ?? quotedStatus(text)),
      diagnostic: (own?.text ?? aboutRecipient(words, address)).slice(0, MAX_DIAGNOSTIC),
      words,
    };
  });
  return { kind, perRecipient, returned, notice };
}

/** The text from the address on, if anything follows it. */
function aboutRecipient(words: string, address: string | undefined): string {
  const at = address === undefined ? -1 : words.indexOf(address);
  const after = at < 0 ? '' : words.slice(at);
  return after.length > (address?.length ?? 0) + 15 ? after : words;
}

function addressesIn(fields: Fields, names: readonly string[]): Set<string> {
  const values = names.flatMap(name => fields.get(name)?.slice(0, 10) ?? []);
  return new Set(values.flatMap(value => value.match(ANY_ADDRESS) ?? []).map(address => address.toLowerCase()));
}
