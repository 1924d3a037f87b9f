import { type EmailContent, MAX_CONTENT_LENGTH } from '@postern/contracts';
import { attachedFiles, readSubmittedMessage, textFromHtml } from '@postern/mail';
import type { EmailBody } from '../emails/email-copies.js';

const HEAD_END = '\r\n\r\n';
const CUT = '\r\n[The rest is not shown.]';

/** The content of a message for its owner: the bodies, and the header and the files of the source, which is 7-bit text. */
export const contentOf = async (body: EmailBody, source: string): Promise<EmailContent> => {
  const { html, text } = body.submitted ? partsOf(body.submitted.mime) : body;
  return {
    html: html === undefined ? null : bounded(html),
    text: text !== undefined ? bounded(text) : html === undefined ? null : bounded(textFromHtml(html)),
    headers: headersOf(source.slice(0, source.indexOf(HEAD_END))),
    attachments: (await attachedFiles(source)).map(({ filename, contentType, sizeBytes, isInline }) => ({
      filename,
      content_type: contentType,
      size_bytes: sizeBytes,
      is_inline: isInline,
    })),
    raw: bounded(source),
  };
};

/** The displayed parts of a message that was submitted over SMTP. */
const partsOf = (mime: string): Pick<EmailBody, 'html' | 'text'> => {
  const { html, text } = readSubmittedMessage(Buffer.from(mime, 'latin1'));
  return { ...(html === undefined ? {} : { html }), ...(text === undefined ? {} : { text }) };
};

const bounded = (part: string): string =>
  part.length <= MAX_CONTENT_LENGTH ? part : `${part.slice(0, MAX_CONTENT_LENGTH).toWellFormed()}${CUT}`;

const headersOf = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .replace(/\r\n(?=[ \t])/g, '')
      .split('\r\n')
      .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
