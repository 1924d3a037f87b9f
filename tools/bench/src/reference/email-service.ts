/**
 * The reference for sending: a service built in an afternoon with well-known libraries, without any of Postern's code.
 * Fastify validates, pg stores one row, nodemailer composes, signs and hands over on pooled connections.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { compile } from 'html-to-text';
import nodemailer from 'nodemailer';
import pg from 'pg';
import { handleCommands } from '../load/worker.js';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

interface Email {
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly message: string;
}

const bodySchema = {
  type: 'object',
  required: ['from', 'to', 'subject', 'message'],
  properties: {
    from: { type: 'string', maxLength: 320 },
    to: { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string', maxLength: 320 } },
    subject: { type: 'string', maxLength: 998 },
    message: { type: 'string' },
  },
} as const;

const apiKey = setting('REFERENCE_API_KEY');
const publicUrl = setting('REFERENCE_PUBLIC_URL');
const domain = setting('REFERENCE_DOMAIN');
const pool = new pg.Pool({ connectionString: setting('REFERENCE_DATABASE_URL'), max: 10 });
await pool.query(`CREATE TABLE IF NOT EXISTS emails (
  id uuid PRIMARY KEY, sender text NOT NULL, recipients text[] NOT NULL, subject text NOT NULL, html text NOT NULL,
  text text NOT NULL, created_at timestamptz NOT NULL DEFAULT now())`);

const toText = compile({ wordwrap: false, selectors: [{ selector: 'img', format: 'skip' }] });
const transport = nodemailer.createTransport({
  pool: true,
  host: '127.0.0.1',
  port: Number(setting('REFERENCE_RELAY_PORT')),
  secure: false,
  ignoreTLS: true,
  name: domain,
  maxConnections: Number(setting('REFERENCE_RELAY_CONNECTIONS')),
  maxMessages: Number.POSITIVE_INFINITY,
  dkim: { domainName: domain, keySelector: 'reference', privateKey: setting('REFERENCE_DKIM_KEY') },
});

const withPixel = (html: string, id: string): string => {
  const pixel = `<img src="${publicUrl}/t/${id}.gif" width="1" height="1" alt="">`;
  return html.includes('</body>') ? html.replace('</body>', `${pixel}</body>`) : html + pixel;
};

const app = fastify();
app.post<{ Body: Email }>('/emails', { schema: { body: bodySchema } }, async (request, reply) => {
  if (request.headers['api-key'] !== apiKey) return reply.code(401).send({ error: 'wrong key' });
  const { from, to, subject, message } = request.body;
  const id = randomUUID();
  const text = toText(message);
  await pool.query({
    name: 'insert-email',
    text: 'INSERT INTO emails (id, sender, recipients, subject, html, text) VALUES ($1, $2, $3, $4, $5, $6)',
    values: [id, from, to, subject, message, text],
  });
  await transport.sendMail({
    from,
    to,
    subject,
    text,
    html: withPixel(message, id),
    messageId: `<${id}@${domain}>`,
    envelope: { from: `bounce+${id}@${domain}`, to },
    dsn: { id, return: 'headers', notify: ['success', 'failure', 'delay'], recipient: `rfc822;${to[0]}` },
  });
  return { id, status: 'sent', mode: 'production', from, to, message: 'handed over to the relay' };
});

await app.listen({ host: '127.0.0.1', port: 0 });
handleCommands({}, { port: (app.server.address() as AddressInfo).port });
