import type { RequestOf, sendEmail } from '@postern/contracts';

/** A text that is equal for equal messages: order of keys, white space and omitted empty fields make no difference. */
export const canonicalMessage = (message: RequestOf<typeof sendEmail>['email']): string => {
  const { from, to, cc, bcc, reply_to = null, subject, message: html = null, text = null, headers } = message;
  const named = Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const { attachments, in_reply_to, references, list_unsubscribe, tracking } = message;
  const more = { attachments, in_reply_to, references, list_unsubscribe, tracking };
  const given = Object.values(more).some(field => field !== undefined) ? [canonicalValue(more)] : [];
  return JSON.stringify([from, to, cc, bcc, reply_to, subject, html, text, named, ...given]);
};

/** The value with the keys of its objects sorted. */
const canonicalValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonicalValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return entries
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => [name, canonicalValue(field)]);
};
