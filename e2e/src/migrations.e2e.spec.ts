import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { sharedWorld } from './stories.js';
import type { Sender } from './world.js';

const run = promisify(execFile);
const world = await sharedWorld();
const sender = await world.sender('Migration', 'migration.test');

/** Runs a sample application that is configured for Postern by its environment only. @returns the id in the reply. */
const send = async (program: string, environment: Record<string, string> = {}, { apiKey }: Sender = sender) => {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, '../migration', program)], {
    env: {
      ...process.env,
      // The certificate of a local start is signed by itself.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(world.postern.wiring.submissionPort),
      SMTP_PASSWORD: apiKey,
      ...environment,
    },
    timeout: 60_000,
  });
  return /id ([0-9a-f-]{36})/.exec(stdout)?.[1] ?? stdout;
};

describe('an application for Resend that sends over SMTP', () => {
  it('sends with another host and key', async () => {
    const id = await send('resend-smtp.mjs', { TO: 'resend@customers.test' });
    const { raw } = await world.mailTo('resend@customers.test');
    expect(raw).toMatch(/^Subject: Hello World\r?$/m);
    expect(raw).not.toMatch(/idempotency/i);
    expect(await sender.event('delivered', id)).toMatchObject({ event: 'delivered', to: 'resend@customers.test' });
  });

  it('sends once per Resend-Idempotency-Key, though its mailer writes another Message-ID at each attempt', async () => {
    const environment = { TO: 'once@customers.test', IDEMPOTENCY_KEY: 'welcome-user/123456789' };
    const first = await send('resend-smtp.mjs', environment);
    expect(await send('resend-smtp.mjs', environment)).toBe(first);
    expect(await world.mailsTo('once@customers.test')).toHaveLength(1);
    expect(await send('resend-smtp.mjs', { ...environment, IDEMPOTENCY_KEY: 'another' })).not.toBe(first);
    await expect(send('resend-smtp.mjs', { ...environment, TO: 'other@customers.test' })).rejects.toMatchObject({
      stderr: expect.stringContaining('554'),
    });
  });
});

describe('an application for Postmark that sends over SMTP', () => {
  it('sends with another host and key; its tag, metadata and tracking have the same effect', async () => {
    const id = await send('postmark-smtp.mjs', { TO: 'postmark@customers.test' });
    const { raw } = await world.mailTo('postmark@customers.test');
    expect(raw).toMatch(/^Message-ID: <my-own-id@migration\.test>\r?$/im);
    expect(raw).not.toMatch(/^X-PM-(?:Tag|Metadata|Track|Keep)/im);
    // Open tracking is on and click tracking off, whatever the email service says.
    const { html = '' } = await PostalMime.parse(raw);
    expect(html).toMatch(/\/o\/[^"]+\.gif/);
    expect(html).toContain('href="https://example.com/receipt"');
    const { data } = await sender.event('delivered', id);
    expect(data['tags']).toEqual({ tag: 'invitation', order_id: '4711', color: 'blue' });
  });

  it('is told which metadata cannot be a tag', async () => {
    await expect(send('postmark-smtp.mjs', { TO: 'a@customers.test', METADATA: '1st' })).rejects.toMatchObject({
      stderr: expect.stringContaining('tags: a name has 1 to 40 lower-case letters'),
    });
  });
});
