/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { composeMessage, messageBytes } from './compose.js';
import {
  canonicalBody,
  canonicalHeader,
  DkimSigner,
  dkimRecord,
  generateDkimKeyPair,
  generateEd25519KeyPair,
  signMessage,
} from './dkim.js';
import type { HeaderLine } from './header-text.js';
import { parseMailbox } from './mailbox.js';

let signer: DkimSigner;
let record: string;

beforeAll(async () => {
  const pair = await generateDkimKeyPair();
  record = pair.record;
  signer = new DkimSigner({ domain: 'example.com', selector: 's1', privateKey: pair.privateKey });
});

describe('a DKIM key pair', () => {
  it('is RSA of 2048 bits, and its record follows from the private key', async () => {
    const pair = await generateDkimKeyPair();
    expect(createPrivateKey(pair.privateKey).asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(pair.record).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{300,}={0,2}$/);
    expect(dkimRecord(pair.privateKey)).toBe(pair.record);
  });
});

describe('a DKIM signature', () => {
  it.each([
    ['an empty body', ''],
    ['nothing but blank lines', '\r\n\r\n\r\n'],
    ['blanks only', '  \t \r\n'],
    ['no line end at the end', 'hello'],
    ['trailing blank lines', 'hello\r\n\r\n\r\n'],
    ['trailing blanks', 'hello  \t\r\nworld \r\n'],
    ['trailing blanks without a line end', 'hello  '],
    ['runs of blanks', 'a  b\t\tc \t d\r\n'],
    ['leading blanks', '   a\r\n'],
    ['a dot alone', '.\r\n..\r\n'],
    ['a long line', `${'x '.repeat(5_000)}\r\n`],
  ])('is valid for %s', async (_, body) => {
    expect(await verdict(header('From: a@example.com', 'Subject: x'), Buffer.from(body))).toBe('pass');
  });

  it('is valid for long, folded and repeated headers', async () => {
    const lines = header(
      'From: a@example.com',
      `To: ${Array.from({ length: 50 }, (_, at) => `r${at}@example.org`).join(',\r\n ')}`,
      'Subject:  much   space\r\n\tand a tab  ',
      'Subject: another',
      'Reply-To:',
      'Date: Fri, 02 Jan 2026 03:04:05 +0000',
      'MIME-Version: 1.0',
    );
    expect(await verdict(lines, Buffer.from('x\r\n'))).toBe('pass');
  });

  it('is valid for non-ASCII addresses', async () => {
    const lines = header('From: a@example.com', 'To: \u0430\u0434\u0430@example.org');
    const message = { headerLines: lines, body: Buffer.from('x'), needsSmtpUtf8: true };
    expect(await verify(messageBytes(message, [await signer.sign(message)]))).toBe('pass');
  });

  it('covers the headers of one-click unsubscription (RFC 8058 §4)', async () => {
    const lines = header('From: a@example.com', 'List-Unsubscribe: <https://mail.test/u>', 'List-Unsubscribe-Post: x');
    const { line } = await signer.sign({ headerLines: lines, body: Buffer.from('x') });
    expect(signedNames(line)).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']));
  });

  it('lists every header once more than it occurs', async () => {
    const message = composeMessage({
      from: parseMailbox('a@example.com'),
      to: [parseMailbox('b@example.org')],
      subject: 'x',
      text: 'x',
      messageId: 'x@example.com',
      date: new Date(),
      headers: { 'X-Order-Id': '42', 'X-SES-Configuration-Set': 'a', 'X-Other': 'b' },
      autoSubmitted: true,
    });
    const names = signedNames((await signer.sign(message)).line);
    for (const name of ['reply-to', 'cc']) expect(names.filter(signed => signed === name)).toHaveLength(1);
    for (const { name } of message.headerLines.filter(({ name }) => !name.startsWith('X-SES')))
      expect(names.filter(signed => signed === name.toLowerCase())).toHaveLength(2);
    expect(names).not.toContain('x-ses-configuration-set');
  });

  it('has an additional Ed25519 signature, which is valid on its own (RFC 8463)', async () => {
    const pair = await generateEd25519KeyPair();
    const ed25519 = new DkimSigner({ domain: 'example.com', selector: 'ed', privateKey: pair.privateKey });
    const message = {
      headerLines: header('From: a@example.com', 'X-A: a'),
      body: Buffer.from('x'),
      needsSmtpUtf8: false,
    };
    const bytes = messageBytes(message, await signMessage(message, [signer, ed25519]));
    const keys = new Map([
      ['s1._domainkey.example.com', record],
      ['ed._domainkey.example.com', pair.record],
    ]);
    const { results } = await dkimVerify(bytes, { resolver: async name => [[keys.get(name)!]] });
    expect(results.map(({ algo, status }) => [algo, status.result])).toEqual([
      ['rsa-sha256', 'pass'],
      ['ed25519-sha256', 'pass'],
    ]);
  });

  it('has the record of RFC 8463 §A.2', () => {
    const seed = Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64');
    const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const pem = `-----BEGIN PRIVATE KEY-----\n${key.toString('base64')}\n-----END PRIVATE KEY-----\n`;
    expect(dkimRecord(pem)).toBe('v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=');
  });

  it('is a separate header with short lines', async () => {
    const { name, line } = await signer.sign({ headerLines: header('From: a@example.com'), body: Buffer.from('x') });
    expect(name).toBe('DKIM-Signature');
    for (const part of line.split('\r\n')) expect(part.length).toBeLessThanOrEqual(76);
  });

  it.each([
    ['a second From', { lines: header('From: a@example.com', 'From: eve@example.com', 'X-A: a') }],
    ['a Reply-To that was not there', { lines: header('From: a@example.com', 'Reply-To: eve@example.com', 'X-A: a') }],
    ['another Date', { lines: header('From: a@example.com', 'Date: Fri, 02 Jan 2026 03:04:05 +0000', 'X-A: a') }],
    ['an X- header that was there', { lines: header('From: a@example.com', 'X-A: a', 'X-A: b') }],
    ['a changed body', { body: Buffer.from('other') }],
  ])('is invalid with %s', async (_, changed: { lines?: HeaderLine[]; body?: Buffer }) => {
    const original = {
      headerLines: header('From: a@example.com', 'X-A: a'),
      body: Buffer.from('x'),
      needsSmtpUtf8: false,
    };
    const signature = await signer.sign(original);
    const altered = {
      ...original,
      headerLines: changed.lines ?? original.headerLines,
      body: changed.body ?? original.body,
    };
    expect(await verify(messageBytes(altered, [signature]))).not.toBe('pass');
  });

  it('is valid for any composed message', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        async (subject, html) => {
          const message = composeMessage({
            from: parseMailbox('Ада <a@example.com>'),
            to: [parseMailbox('b@example.org')],
            subject: subject.replace(/[\r\n\0]/g, ''),
            html: html.replaceAll('\0', ''),
            messageId: 'x@example.com',
            date: new Date(),
          });
          expect(await verify(messageBytes(message, [await signer.sign(message)]))).toBe('pass');
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is valid for bodies of any bytes', async () => {
    const bytes = fc
      .string({ unit: fc.constantFrom('a', ' ', '\t', '\r\n', '.', '\u00e9') })
      .map(text => Buffer.from(text));
    await fc.assert(
      fc.asyncProperty(bytes, async body => expect(await verdict(header('From: a@example.com'), body)).toBe('pass')),
      { numRuns: 100 },
    );
  });
});

describe('the relaxed canonical form', () => {
  it('is that of RFC 6376 §3.4.5', () => {
    expect(canonicalHeader('A: X')).toBe('a:X');
    expect(canonicalHeader('B : Y\t\r\n\tZ  ')).toBe('b:Y Z');
    expect(canonicalBody(Buffer.from(' C \r\nD \t E\r\n\r\n\r\n')).toString()).toBe(' C\r\nD E\r\n');
  });
});

function header(...lines: string[]): HeaderLine[] {
  return lines.map(line => ({ name: line.slice(0, line.indexOf(':')), line }));
}

function signedNames(line: string): string[] {
  return /h=([^;]*);/.exec(line.replaceAll(/\s/g, ''))![1]!.split(':');
}

async function verdict(headerLines: HeaderLine[], body: Buffer): Promise<string | undefined> {
  const message = { headerLines, body, needsSmtpUtf8: false };
  return verify(messageBytes(message, [await signer.sign(message)]));
}

async function verify(bytes: Buffer): Promise<string | undefined> {
  const { results } = await dkimVerify(bytes, {
    resolver: async name => {
      if (name !== 's1._domainkey.example.com') throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
      return [[record]];
    },
  });
  return results[0]?.status.result;
}
