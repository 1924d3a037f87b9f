import type { RequestOf, sendEmail } from '@postern/contracts';

/** A text that is equal for equal messages: order of keys, white space and omitted empty fields make no difference. */
export const canonicalMessage = (message: RequestOf<typeof sendEmail>['email']): string => {
  const { from, to, cc, bcc, reply_to = null, subject, message: html = null, text = null, headers } = message;
  const named = Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([from, to, cc, bcc, reply_to, subject, html, text, named]);
};
