import { MAX_ATTACHMENTS, type RequestOf, type sendEmail } from '@postern/contracts';
import { type Attachment, mediaTypeOf } from '@postern/mail';
import { invalidEmail } from './email-refusals.js';

type Given = NonNullable<RequestOf<typeof sendEmail>['email']['attachments']>[number];

/** Decoded, of all files of a message. */
const MAX_BYTES = 25 * 1024 * 1024;
const MAX_NAME = 255;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MEDIA_TYPE = /^[A-Za-z0-9][\w!#$&^.+-]{0,126}\/[A-Za-z0-9][\w!#$&^.+-]{0,126}$/;
const CONTENT_ID = /^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/;

/** Validates the files of a message; refuses with `invalid_email`, whose message names the field. */
export function readAttachments(given: readonly Given[]): Attachment[] {
  if (given.length > MAX_ATTACHMENTS) throw invalidEmail('attachments', `at most ${MAX_ATTACHMENTS} files are allowed`);
  const attachments = given.map(readAttachment);
  const bytes = attachments.reduce((sum, { content }) => sum + Math.floor((content.length * 3) / 4), 0);
  if (bytes > MAX_BYTES) throw invalidEmail('attachments', 'all files together have at most 25 MiB');
  const ids = attachments.flatMap(({ contentId }) => contentId ?? []);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw invalidEmail('attachments', `the content_id "${repeated}" is given twice`);
  return attachments;
}

function readAttachment({ filename, content, content_type, content_id }: Given, index: number): Attachment {
  const refuse = (field: string, reason: string) => invalidEmail(`attachments[${index}].${field}`, reason);
  const name = cleanName(filename);
  if (name === '') throw refuse('filename', 'a name is required');
  if ([...name].length > MAX_NAME) throw refuse('filename', `at most ${MAX_NAME} characters are allowed`);
  if (content.length % 4 !== 0 || !BASE64.test(content)) throw refuse('content', 'this is not base64');
  if (content_type !== undefined && !MEDIA_TYPE.test(content_type))
    throw refuse('content_type', 'this is not a media type such as application/pdf');
  const contentId = content_id?.replace(/^<(.*)>$/, '$1');
  if (contentId !== undefined && !CONTENT_ID.test(contentId))
    throw refuse('content_id', 'an id has 1 to 200 characters of ASCII, without blanks and angle brackets');
  return {
    filename: name,
    content,
    contentType: content_type?.toLowerCase() ?? mediaTypeOf(name),
    ...(contentId === undefined ? {} : { contentId }),
  };
}

/** Without what could be a path, or break a header or a terminal. */
const cleanName = (filename: string): string =>
  filename
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\\/]/g, '_')
    .trim();
