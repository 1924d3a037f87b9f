import type { MimeField } from './mime-field.js';

/** What a client asks for in header fields of a submitted message. */
export interface SubmissionOptions {
  readonly tags: Readonly<Record<string, string>>;
  readonly tracking: { readonly opens?: boolean; readonly clicks?: boolean };
  readonly keepsMessageId: boolean;
}

/** Fields with options, also those of Postmark and Resend; they are not passed on. */
export const OPTION_FIELDS =
  /^(?:x-postern-.*|x-pm-(?:tag|metadata-.*|track-?opens|track-?links|keep-?id)|resend-idempotency-key)$/;

const TAG = /^x-(?:postern-tag|pm-metadata)-(.+)$/;
const YES = /^(?:yes|true|1)$/i;
const NO = /^(?:no|false|0)$/i;
const LINKS_ON = /^(?:HtmlAndText|HtmlOnly)$/i;
const LINKS_OFF = /^(?:None|TextOnly)$/i;

/** Reads the options; `decode` reads the text of a value. A switch with an unknown value is ignored. */
export function submissionOptions(fields: readonly MimeField[], decode: (value: string) => string): SubmissionOptions {
  const tags: Record<string, string> = Object.create(null);
  let tracking: SubmissionOptions['tracking'] = {};
  let keepsMessageId = false;
  for (const { name, value } of fields) {
    const text = decode(value).trim();
    const [, tag = name === 'x-pm-tag' ? 'tag' : undefined] = TAG.exec(name) ?? [];
    if (tag !== undefined) tags[tag.replaceAll('-', '_')] = text;
    else if (/^x-(?:postern-track-opens|pm-track-?opens)$/.test(name)) tracking = { ...tracking, ...on('opens', text) };
    else if (/^x-(?:postern-track-clicks|pm-track-?links)$/.test(name))
      tracking = { ...tracking, ...on('clicks', text) };
    else if (/^x-(?:postern-keep-message-id|pm-keep-?id)$/.test(name)) keepsMessageId = YES.test(text);
  }
  return { tags, tracking, keepsMessageId };
}

const on = (name: 'opens' | 'clicks', text: string): SubmissionOptions['tracking'] => {
  if (YES.test(text) || LINKS_ON.test(text)) return { [name]: true };
  return NO.test(text) || LINKS_OFF.test(text) ? { [name]: false } : {};
};
