import { generateKeyPairSync } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { PosternAccess } from './shared-postern.js';

/** A mail system that sends reports like a mailbox provider: over SMTP, with a DKIM signature of its domain. */
export async function reportSender(postern: PosternAccess, domain: string, { signs = true } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  if (signs) await postern.dns.setText(`report._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${key}`);
  const dkim = {
    domainName: domain,
    keySelector: 'report',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
  const transport = createTransport({
    host: '127.0.0.1',
    port: postern.wiring.bouncePort,
    ignoreTLS: true,
    ...(signs ? { dkim } : {}),
  });
  return {
    send: (filename: string, content: Buffer, from = `dmarc@${domain}`) =>
      transport.sendMail({
        from,
        to: 'reports@bounces.postern.test',
        subject: 'Report Domain',
        text: 'A report.',
        attachments: [{ filename, content, contentType: 'application/gzip' }],
      }),
  };
}
