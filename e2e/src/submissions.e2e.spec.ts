import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageParts, recordedSubmissions } from '@postern/testing';
import nodemailer, { type Transporter } from 'nodemailer';
import PostalMime, { decodeWords } from 'postal-mime';
import { verifiedSignatures } from './dkim.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Recorded submissions', 'corpus.test');

let transport: Transporter;
beforeAll(async () => {
  await world.dashboard.patch(sender.path, { open_tracking: false });
  transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.postern.wiring.submissionPort,
    pool: true,
    maxConnections: 1,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'postern', pass: sender.apiKey },
  });
});
afterAll(() => transport.close());

/** Fields that Postern does not replace. */
const KEPT = /^(?:x-.*|organization|importance|priority|auto-submitted)$/;
const headersOf = async (bytes: Uint8Array) => {
  const { headers, subject } = await PostalMime.parse(bytes);
  const kept = headers
    .filter(({ key }) => KEPT.test(key) && key !== 'x-postern-id')
    .map(({ key, value }) => [key, decodeWords(value).replace(/\s+/g, ' ').trim()]);
  return { subject: subject?.replace(/\s+/g, ' ').trim(), kept: kept.sort() };
};

describe('A message that was recorded from a mail program', () => {
  it.each(recordedSubmissions())(
    '$name arrives with its structure, types, names and bytes, and its signature is valid',
    async ({ name, bytes }) => {
      const to = `${name}@customers.test`;
      await transport.sendMail({ envelope: { from: 'orders@corpus.test', to: [to] }, raw: bytes });
      const { raw } = await world.mailTo(to);
      const received = Buffer.from(raw);
      expect(await messageParts(received)).toEqual(await messageParts(bytes));
      expect(await headersOf(received)).toEqual(await headersOf(bytes));
      expect(await verifiedSignatures(received, world.postern.dns.address)).toContainEqual({
        result: 'pass',
        domain: 'corpus.test',
      });
      const longest = Math.max(
        ...received
          .toString('latin1')
          .split('\r\n')
          .map(line => line.length),
      );
      expect(longest).toBeLessThanOrEqual(998);
    },
  );
});
