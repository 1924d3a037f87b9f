import type { RequestOf, sendEmail } from '@postern/contracts';
import { type ListUnsubscribe, MailboxError, parseMailbox } from '@postern/mail';
import { invalidEmail } from './email-refusals.js';

const MAX_REFERENCES = 100;
const MESSAGE_ID = /^<?([\x21-\x3b\x3d\x3f-\x7e]{1,250}@[\x21-\x3b\x3d\x3f-\x7e]{1,250})>?$/;
const URL = /^https?:\/\/[\x21-\x3b\x3d\x3f-\x7e]{1,900}$/i;

/** Message-IDs without angle brackets; refuses with `invalid_email`. */
export function readMessageIds(field: string, given: readonly string[]): string[] {
  if (given.length > MAX_REFERENCES) throw invalidEmail(field, `at most ${MAX_REFERENCES} are allowed`);
  return given.map((text, index) => {
    const id = MESSAGE_ID.exec(text)?.[1];
    if (id !== undefined) return id;
    const place = field === 'references' ? `references[${index}]` : field;
    throw invalidEmail(place, 'this is not a Message-ID such as <123@example.com>');
  });
}

/** How to unsubscribe; refuses with `invalid_email`. */
export function readListUnsubscribe({
  url,
  mailto,
  one_click = false,
}: NonNullable<RequestOf<typeof sendEmail>['email']['list_unsubscribe']>): ListUnsubscribe {
  if (url === undefined && mailto === undefined) throw invalidEmail('list_unsubscribe', 'url or mailto is required');
  if (url !== undefined && !URL.test(url))
    throw invalidEmail('list_unsubscribe.url', 'this is not an http or https URL in ASCII');
  if (one_click && !url?.toLowerCase().startsWith('https:'))
    throw invalidEmail('list_unsubscribe.one_click', 'one-click needs an https url');
  return {
    ...(url === undefined ? {} : { url }),
    ...(mailto === undefined ? {} : { mailto: addressOf(mailto) }),
    oneClick: one_click,
  };
}

function addressOf(mailto: string): string {
  try {
    return parseMailbox(mailto.replace(/^mailto:/i, '')).address;
  } catch (error) {
    if (error instanceof MailboxError) throw invalidEmail('list_unsubscribe.mailto', error.message);
    throw error;
  }
}
