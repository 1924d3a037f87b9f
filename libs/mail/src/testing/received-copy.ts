import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime, { decodeWords } from 'postal-mime';
import { messageBytes } from '../compose.js';
import { DkimSigner, generateDkimKeyPair } from '../dkim.js';
import { parseMailbox } from '../mailbox.js';
import { prepareSubmittedMessage, readSubmittedMessage } from '../submitted-message.js';

const pair = generateDkimKeyPair();

const HEAD = ['From: Shop <orders@example.com>', 'To: grace@example.org', 'Subject: t', 'MIME-Version: 1.0'];
export const utf8 = (...lines: string[]) => Buffer.from([...HEAD, ...lines, ''].join('\n'), 'utf8');
export const latin1 = (...lines: string[]) => Buffer.from([...HEAD, ...lines, ''].join('\n'), 'latin1');

/** What a recipient of a submitted message gets: the bytes, their signature checked, and the parts. */
export async function received(submitted: Buffer, html?: string) {
  const { subject, mime } = readSubmittedMessage(submitted);
  const draft = {
    from: parseMailbox('Shop <orders@example.com>'),
    to: [parseMailbox('grace@example.org')],
    subject,
    messageId: 'id@example.com',
    date: new Date('2030-01-02T03:04:05Z'),
  };
  const copy = prepareSubmittedMessage(draft, mime).copy(html);
  const { privateKey, record } = await pair;
  const signer = new DkimSigner({ domain: 'example.com', selector: 's1', privateKey });
  const bytes = messageBytes(copy, [await signer.sign(copy)]);
  const raw = bytes.toString('latin1');
  const { results } = await dkimVerify(bytes, { resolver: async () => [[record]] } as never);
  const parsed = await PostalMime.parse(bytes);
  const attachments = parsed.attachments.map(({ content, ...rest }) => ({
    ...rest,
    content: Buffer.from(content as ArrayBuffer),
  }));
  return { bytes, raw, dkim: results[0]?.status.result, parsed, attachments, subject };
}

export const header = (raw: string, name: string) =>
  new RegExp(`^${name}:[ \\t]*((?:.|\\r\\n[ \\t])*)`, 'im').exec(raw.slice(0, raw.indexOf('\r\n\r\n')))?.[1];

export const headerText = (parsed: Awaited<ReturnType<typeof PostalMime.parse>>, name: string) =>
  decodeWords(parsed.headers.find(({ key }) => key === name.toLowerCase())?.value ?? '');
