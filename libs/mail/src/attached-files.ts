import PostalMime from 'postal-mime';
import { bytesOf, encodingOf, type MimeEntity, readEntity } from './mime-entity.js';
import { fieldValue, withValue } from './mime-field.js';

/** A file of a message, without its content. */
export interface AttachedFile {
  /** Null if the message does not name it. */
  readonly filename: string | null;
  /** `type/subtype`. */
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Whether the message shows it as a part of its body, such as an image of the HTML. */
  readonly isInline: boolean;
}

/** The files of a message in their order: every part but the texts. @throws MimeError if the source is no message. */
export const attachedFiles = (source: string): Promise<readonly AttachedFile[]> =>
  Promise.all(leavesOf(readEntity(source)).filter(isFile).map(fileOf));

const leavesOf = (entity: MimeEntity): readonly MimeEntity[] =>
  typeof entity.content === 'string' ? [entity] : entity.content.children.flatMap(leavesOf);

const isFile = ({ type, disposition, isFile: isNamed }: MimeEntity): boolean =>
  disposition === 'attachment' || isNamed || !/^(?:text\/(?:plain|html)|multipart\/.*)$/.test(type);

const fileOf = async (part: MimeEntity): Promise<AttachedFile> => ({
  filename: await filenameOf(part),
  contentType: part.type,
  sizeBytes: bytesOf(part.content as string, encodingOf(part.fields)).length,
  isInline: part.disposition === 'inline' || (part.disposition === '' && hasContentId(part)),
});

const hasContentId = ({ fields }: MimeEntity): boolean => fieldValue(fields, 'content-id') !== undefined;

/** postal-mime undoes every encoding of a name (RFC 2231, RFC 2047). It names no texts, so the part gets another type. */
const filenameOf = async ({ fields }: MimeEntity): Promise<string | null> => {
  const header = fields.flatMap(field => {
    if (field.name === 'content-disposition') return [field.line];
    const value = field.value.replace(/^[^;]*/, 'application/octet-stream');
    return field.name === 'content-type' ? [withValue(field, value).line] : [];
  });
  const { attachments } = await PostalMime.parse(`${header.join('\r\n')}\r\n\r\n`);
  return attachments[0]?.filename || null;
};
