import type { RequestOf, sendEmail } from '@postern/contracts';

/**
 * A message as one text that is the same for equal JSON values: order of keys, white space and fields that are left
 * out instead of empty make no difference.
 */
export const canonicalMessage = (message: RequestOf<typeof sendEmail>['email']): string => {
  const { from, to, cc, bcc, reply_to = null, subject, message: html = null, text = null, headers } = message;
  const named = Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([from, to, cc, bcc, reply_to, subject, html, text, named]);
};
