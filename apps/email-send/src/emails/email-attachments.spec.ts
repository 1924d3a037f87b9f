import { describe, expect, it } from '@jest/globals';
import { draftEmail, type EmailRequestBody } from './email-draft.js';

const BODY: EmailRequestBody = {
  from: 'shop@example.com',
  to: ['ada@x.io'],
  cc: [],
  bcc: [],
  subject: 'Invoice',
  text: 'Hello',
  headers: {},
};
const FILE = { filename: 'a.pdf', content: 'JVBERg==' };
const draft = (more: Partial<EmailRequestBody>) => draftEmail({ ...BODY, ...more });

describe('a message with files', () => {
  it('has them with a type and a clean name', () =>
    expect(
      draft({
        attachments: [
          FILE,
          { ...FILE, filename: '../etc\\pass\u202ewd\r\n.txt', content_type: 'Text/CSV', content_id: '<logo>' },
        ],
      }).attachments,
    ).toEqual([
      { filename: 'a.pdf', content: 'JVBERg==', contentType: 'application/pdf' },
      { filename: '.._etc_passwd.txt', content: 'JVBERg==', contentType: 'text/csv', contentId: 'logo' },
    ]));

  it.each<[string, Partial<EmailRequestBody>, RegExp]>([
    ['51 files', { attachments: Array(51).fill(FILE) }, /^attachments: at most 50 files/],
    ['a name of nothing', { attachments: [{ ...FILE, filename: ' \n' }] }, /^attachments\[0\]\.filename: a name is/],
    ['a long name', { attachments: [{ ...FILE, filename: 'x'.repeat(256) }] }, /\.filename: at most 255/],
    ['no base64', { attachments: [FILE, { ...FILE, content: 'JVBE*g==' }] }, /^attachments\[1\]\.content: .*base64/],
    ['base64 that is cut', { attachments: [{ ...FILE, content: 'JVBER' }] }, /^attachments\[0\]\.content: .*base64/],
    ['a type of nothing', { attachments: [{ ...FILE, content_type: 'pdf' }] }, /^attachments\[0\]\.content_type: /],
    ['a type with a line break', { attachments: [{ ...FILE, content_type: 'a/b\r\nX: y' }] }, /content_type: /],
    ['an id with a blank', { attachments: [{ ...FILE, content_id: 'a b' }] }, /^attachments\[0\]\.content_id: /],
    ['an id twice', { attachments: Array(2).fill({ ...FILE, content_id: 'a' }) }, /content_id "a" is given twice/],
    ['too many bytes', { attachments: [{ ...FILE, content: 'A'.repeat(36 * 1024 * 1024) }] }, /at most 25 MiB/],
    ['an in_reply_to that is none', { in_reply_to: 'yes' }, /^in_reply_to: this is not a Message-ID/],
    ['a reference that is none', { references: ['<a@b>', 'c d@e'] }, /^references\[1\]: this is not a Message-ID/],
    ['101 references', { references: Array(101).fill('<a@b>') }, /^references: at most 100/],
    ['nowhere to unsubscribe', { list_unsubscribe: {} }, /^list_unsubscribe: url, mailto or one_click/],
    ['another kind of URL', { list_unsubscribe: { url: 'ftp://x' } }, /^list_unsubscribe\.url: /],
    ['one click without https', { list_unsubscribe: { url: 'http://x.io', one_click: true } }, /one_click: .*https/],
    ['a malformed mailto', { list_unsubscribe: { mailto: 'nobody' } }, /^list_unsubscribe\.mailto: malformed/],
  ])('or a conversation is refused for %s', (_, more, message) =>
    expect(() => draft(more)).toThrow(
      expect.objectContaining({ code: 'invalid_email', message: expect.stringMatching(message) }),
    ),
  );

  it('may be unsubscribed from on a hosted page', () =>
    expect(draft({ list_unsubscribe: { mailto: 'u@x.io', one_click: true } }).listUnsubscribe).toEqual({
      mailto: 'u@x.io',
      oneClick: true,
      hosted: true,
    }));

  it('may have Message-IDs with and without angle brackets', () =>
    expect(draft({ in_reply_to: 'a@b', references: ['<c@d>', 'e@f'] })).toMatchObject({
      inReplyTo: 'a@b',
      references: ['c@d', 'e@f'],
    }));
});
