import { describe, expect, it } from '@jest/globals';
import { MAX_CONTENT_LENGTH } from '@postern/contracts';
import { parseMailbox } from '@postern/mail';
import type { EmailBody } from '../emails/email-copies.js';
import { contentOf } from './email-content.js';

describe('the content of a message', () => {
  it('has the bodies as they were given, and the header without its folding', async () =>
    expect(await contentOf({ ...BODY, html: '<p>Hi</p>', text: 'Hi' }, SOURCE)).toEqual({
      html: '<p>Hi</p>',
      text: 'Hi',
      headers: { Subject: 'A long one', 'X-Order': '42: paid' },
      attachments: [],
      raw: SOURCE,
    }));

  it('has the text that was derived from the HTML body', async () =>
    expect(await contentOf({ ...BODY, html: '<p>Hi <b>Ada</b></p>' }, SOURCE)).toMatchObject({ text: 'Hi Ada' }));

  it('lists the files of the source', async () => {
    const file = ['Content-Disposition: attachment; filename=a.pdf', 'Content-Type: application/pdf', '', '%PDF'];
    const source = ['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'Hi', '--b', ...file, '--b--', ''];
    expect((await contentOf({ ...BODY, text: 'Hi' }, source.join('\r\n'))).attachments).toEqual([
      { filename: 'a.pdf', content_type: 'application/pdf', size_bytes: 4, is_inline: false },
    ]);
  });

  it('has the parts of a message that was submitted over SMTP', async () => {
    const mime = [
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Hi',
      '--b',
      'Content-Type: text/html',
      '',
      '<p>Hi</p>',
      '--b--',
    ].join('\r\n');
    const submitted = (text: string) => ({ ...BODY, submitted: { mime: text, hidesTo: false } });
    expect(await contentOf(submitted(mime), SOURCE)).toMatchObject({ html: '<p>Hi</p>', text: 'Hi' });
    expect(await contentOf(submitted('Subject: t\r\n\r\nHello'), SOURCE)).toMatchObject({ html: null, text: 'Hello' });
  });

  it('has no HTML if the message has none', async () =>
    expect(await contentOf({ ...BODY, text: 'Hi' }, SOURCE)).toMatchObject({ html: null, text: 'Hi' }));

  it('is cut at a length that always fits into a reply, never within a character', async () => {
    const html = `${'x'.repeat(MAX_CONTENT_LENGTH - 1)}🙂 and more`;
    const content = await contentOf({ ...BODY, html, text: 'Hi' }, SOURCE);
    expect(content.html?.isWellFormed()).toBe(true);
    expect(content.html?.length).toBeLessThan(MAX_CONTENT_LENGTH + 100);
    expect(content.html).toMatch(/The rest is not shown\.\]$/);
  });
});

const BODY: EmailBody = {
  from: parseMailbox('shop@example.com'),
  to: [parseMailbox('ada@x.test')],
  cc: [],
  replyTo: [],
  headers: {},
  openTracking: true,
  clickTracking: true,
};
const SOURCE = 'Subject: A long\r\n one\r\nX-Order: 42: paid\r\n\r\nHi\r\n';
