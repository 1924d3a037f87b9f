import { lookup } from 'mime-types';
import { renderedInSevenBit } from './mime-entity.js';
import { parameterLine } from './mime-field.js';
import { base64 } from './transfer-encoding.js';

/** A file of a message. */
export interface Attachment {
  readonly filename: string;
  /** `type/subtype`. */
  readonly contentType: string;
  /** Base64. */
  readonly content: string;
  /** Makes it an inline image of the HTML body, without angle brackets. */
  readonly contentId?: string;
}

const UNKNOWN = 'application/octet-stream';
const ATTACHED_MESSAGE = 'message/rfc822';

/** The media type that the ending of a file's name stands for. */
export const mediaTypeOf = (filename: string): string => lookup(filename) || UNKNOWN;

/** The entity of one file: its header and its encoded content. */
export function attachmentEntity({ filename, contentType, content, contentId }: Attachment): string {
  const bytes = Buffer.from(content, 'base64');
  // An attached message may not be in base64 (RFC 2046 §5.2.1); other types of messages have no such reader.
  const isMessage = contentType === ATTACHED_MESSAGE;
  const type = contentType.startsWith('message/') && !isMessage ? UNKNOWN : contentType;
  const disposition = contentId === undefined ? 'attachment' : 'inline';
  const lines = [
    parameterLine('Content-Type', type, [['name', filename]]),
    parameterLine('Content-Disposition', disposition, [['filename', filename]]),
    ...(contentId === undefined ? [] : [`Content-ID: <${contentId}>`]),
    ...(isMessage ? [] : ['Content-Transfer-Encoding: base64']),
  ];
  const body = isMessage ? renderedInSevenBit(bytes) : base64(bytes);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A multipart entity around a part that is composed elsewhere: its Content-Type, and what stands before and after the part. */
export interface MultipartFrame {
  readonly contentType: string;
  readonly head: string;
  readonly tail: string;
}

/** The frame of `multipart/<subtype>` whose first part is followed by these files. */
export function frameWith(
  subtype: 'mixed' | 'related',
  boundary: string,
  files: readonly Attachment[],
): MultipartFrame {
  const entities = files.map(file => `\r\n--${boundary}\r\n${attachmentEntity(file)}`);
  return {
    contentType: `Content-Type: multipart/${subtype};\r\n boundary="${boundary}"`,
    head: `--${boundary}\r\n`,
    tail: `${entities.join('')}\r\n--${boundary}--`,
  };
}
