import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { type Process, request, SendingFixture } from '../testing/sending-fixture.js';
import { SubmitEmail } from './submit-email.js';

let fixture: SendingFixture;
let process: Process;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  process = await fixture.process(undefined, undefined, 25_000);
});
afterAll(() => fixture.stop());

const FILE = randomBytes(25 * 1024 * 1024);
const hashOf = (bytes: Uint8Array | ArrayBuffer | string) =>
  createHash('sha256')
    .update(typeof bytes === 'string' ? bytes : Buffer.from(bytes as ArrayBuffer))
    .digest('hex');

const receivedFile = async (address: string) => {
  const { raw } = fixture.smtp.messages.findLast(({ to }) => to[0]!.address === address)!;
  const { attachments } = await PostalMime.parse(raw);
  return attachments.map(({ filename, content }) => [filename, hashOf(content)]);
};

describe('A message with 25 MiB of files', () => {
  it('is sent whole to each recipient', async () => {
    const { keyHash } = fixture.sender({ openTracking: true });
    const attachments = [{ filename: 'film.bin', content: FILE.toString('base64') }];
    const to = ['ada@large.test', 'bob@large.test'];
    const { email } = await process.sendEmail.execute(
      request(keyHash, { to, message: '<p>See the film.</p>', attachments }),
    );
    expect(email.status).toBe('sent');
    for (const address of to) expect(await receivedFile(address)).toEqual([['film.bin', hashOf(FILE)]]);
  }, 120_000);

  it('is sent whole over SMTP', async () => {
    const { keyHash } = fixture.sender();
    const lines = FILE.toString('base64').replace(/.{76}/g, '$&\r\n');
    const content = Buffer.from(
      [
        'From: Shop <shop@example.com>',
        'To: eve@large.test',
        'Subject: The film',
        'MIME-Version: 1.0',
        'Content-Type: application/octet-stream; name="film.bin"',
        'Content-Disposition: attachment; filename="film.bin"',
        'Content-Transfer-Encoding: base64',
        '',
        lines,
      ].join('\r\n'),
    );
    const { email } = await new SubmitEmail(process.sendEmail).execute({
      api_key_hash: keyHash,
      email_id: '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f',
      answer_within_ms: 60_000,
      recipients: ['eve@large.test'],
      content: content.toString('base64'),
    });
    expect(email.status).toBe('sent');
    expect(await receivedFile('eve@large.test')).toEqual([['film.bin', hashOf(FILE)]]);
  }, 120_000);
});
