import { describe, expect, it } from '@jest/globals';
import { attachedFiles } from './attached-files.js';
import { composeMessage } from './compose.js';
import { parseMailbox } from './mailbox.js';

const DRAFT = {
  from: parseMailbox('shop@example.com'),
  to: [parseMailbox('ada@example.org')],
  subject: 'Invoice',
  messageId: 'id@example.com',
  date: new Date('2030-01-02T03:04:05Z'),
};
const base64Of = (text: string) => Buffer.from(text).toString('base64');
const sourceOf = (...lines: string[]) => lines.join('\r\n');
const part = (header: readonly string[], body: string) => ['--b', ...header, '', body];
const mixed = (...parts: string[][]) =>
  sourceOf('Content-Type: multipart/mixed; boundary=b', '', ...parts.flat(), '--b--', '');

describe('the files of a message', () => {
  it('are those that were attached, with their names and sizes', async () => {
    const { headerLines, body } = composeMessage({
      ...DRAFT,
      html: '<img src="cid:logo">',
      text: 'Hello',
      attachments: [
        { filename: 'Rechnung März.pdf', contentType: 'application/pdf', content: base64Of('%PDF-1.4\n') },
        { filename: 'logo.png', contentType: 'image/png', content: base64Of('png'), contentId: 'logo' },
      ],
    });
    const source = `${headerLines.map(({ line }) => line).join('\r\n')}\r\n\r\n${body.toString('latin1')}`;
    expect(await attachedFiles(source)).toEqual([
      { filename: 'logo.png', contentType: 'image/png', sizeBytes: 3, isInline: true },
      { filename: 'Rechnung März.pdf', contentType: 'application/pdf', sizeBytes: 9, isInline: false },
    ]);
  });

  it.each([
    ['of text', 'Hello'],
    ['of HTML', 'Content-Type: text/html', '', '<p>Hello</p>'],
    [
      'of both',
      ...['Content-Type: multipart/alternative; boundary=b', '', '--b', '', 'Hello'],
      ...['--b', 'Content-Type: text/html', '', '<p>Hello</p>', '--b--'],
    ],
  ])('are none in a message %s', async (_, ...lines) =>
    expect(await attachedFiles(sourceOf('Subject: Hello', ...(lines.length === 1 ? ['', ...lines] : lines)))).toEqual(
      [],
    ),
  );

  it('include texts with a name, and parts without one', async () =>
    expect(
      await attachedFiles(
        mixed(
          part([], 'Hello'),
          part(['Content-Type: text/plain; name="notes.txt"'], 'Notes'),
          part(['Content-Type: text/html', 'Content-Disposition: attachment'], '<p>'),
          part(['Content-Type: image/png', 'Content-ID: <x>', 'Content-Transfer-Encoding: base64'], 'QUJD\r\nREVG'),
        ),
      ),
    ).toEqual([
      { filename: 'notes.txt', contentType: 'text/plain', sizeBytes: 5, isInline: false },
      { filename: null, contentType: 'text/html', sizeBytes: 3, isInline: false },
      { filename: null, contentType: 'image/png', sizeBytes: 6, isInline: true },
    ]));

  it.each([
    ["filename*=utf-8''M%C3%A4rz.pdf", 'März.pdf'],
    ["filename*0*=utf-8''M%C3%A4; filename*1=rz.pdf", 'März.pdf'],
    ['filename="=?utf-8?Q?M=C3=A4rz.pdf?="', 'März.pdf'],
    ['filename="a\\"b.pdf"', 'a"b.pdf'],
  ])('have the name that %s stands for', async (parameter, filename) =>
    expect(
      await attachedFiles(
        mixed(part(['Content-Type: application/pdf', `Content-Disposition: attachment; ${parameter}`], 'x')),
      ),
    ).toMatchObject([{ filename }]),
  );

  it('include an attached message as one file, and a signature', async () =>
    expect(
      await attachedFiles(
        sourceOf(
          ...['Content-Type: multipart/signed; boundary=s', '', '--s', 'Content-Type: multipart/mixed; boundary=b', ''],
          ...['--b', '', 'Hello', '--b', 'Content-Type: message/rfc822', '', 'Subject: inner', '', 'Text', '--b--'],
          ...['--s', 'Content-Type: application/pgp-signature; name=signature.asc', '', 'xyz', '--s--', ''],
        ),
      ),
    ).toMatchObject([
      { filename: null, contentType: 'message/rfc822' },
      { filename: 'signature.asc', contentType: 'application/pgp-signature' },
    ]));
});
