import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, Refusal, submitEmail } from '@postern/contracts';
import { otherAddress, waitFor } from '@postern/testing';
import nodemailer from 'nodemailer';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { announced } from '../testing/http.js';

/** The source address of a second client; all loopback addresses are one. */
const OTHER = otherAddress();

const KEY = `em_live_${'a'.repeat(43)}`;
const MIB = 1024 * 1024;
const ID = '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00';

let gateway: GatewayUnderTest;
afterEach(() => gateway.stop());

const start = async (environment: Record<string, string> = {}) => {
  gateway = await startGateway({ POSTERN_SUBMISSION_PORT: '0', ...environment });
  gateway.services.on(authenticateApiKey, () => ({ service_id: ID }));
  gateway.services.on(submitEmail, ({ recipients }) => ({
    email: {
      id: ID,
      status: 'sent' as const,
      mode: 'production' as const,
      from: 'a@b.c',
      to: recipients,
      message: 'Sent',
    },
    rate_limit: { limit: 10, remaining: 9, reset_s: 60 },
    replayed: false,
  }));
};

const send = (text: string, pass = KEY) =>
  nodemailer
    .createTransport({
      host: '127.0.0.1',
      port: gateway.submissionPort,
      auth: { user: 'postern', pass },
      tls: { rejectUnauthorized: false },
    })
    .sendMail({ from: 'a@b.c', to: 'd@e.f', text })
    .then(
      ({ response }) => response,
      ({ response }: { readonly response: string }) => response,
    );

describe('The buffered messages', () => {
  it('share one limit with the bodies of HTTP', async () => {
    await start({ POSTERN_MAX_BUFFERED_BYTES: String(16 * MIB) });
    const uploads = ['127.0.0.2', OTHER].map(localAddress => {
      const upload = connect({ port: gateway.port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
      upload.write(announced('POST /emails', 8 * MIB, [`Api-Key: ${KEY}`]));
      upload.write(Buffer.alloc(8 * MIB - 100_000, 32));
      return upload;
    });
    const large = `${'x'.repeat(70)}\r\n`.repeat(5_000);
    await waitFor(async () => /^451 4\.3\.1 Too many large messages/.test(await send(large)));
    for (const upload of uploads) upload.destroy();
    await waitFor(async () => /^250 /.test(await send(large)));
  }, 60_000);
});

describe('The audit log', () => {
  it('contains a refused API key without the secret, and counts repetitions', async () => {
    await start();
    gateway.services.on(authenticateApiKey, () => {
      throw new Refusal('api_key_invalid', 'the API key is not valid');
    });
    const guesses = [`em_live_${'b'.repeat(43)}`, 'a password'];
    const [unknown = '', noKey = ''] = [await send('Hello', guesses[0]), await send('Hello', guesses[1])];
    expect(unknown).toBe('535 5.7.8 The API key is not valid.');
    expect(noKey).toMatch(/^535 5\.7\.8 The API key is not valid\. The password is the key of an email service/);
    await waitFor(() => gateway.services.audited.length > 0);
    await gateway.stopGateway();
    expect(gateway.services.audited).toMatchObject([
      {
        actor: { type: 'unknown', id: null },
        action: 'api_key.used',
        resource: { type: 'api_key', id: null },
        client: { network: '127.0.0.0/24' },
        outcome: 'refused',
        code: 'api_key_invalid',
      },
      { action: 'api_key.used', times: 1 },
    ]);
    expect(JSON.stringify(gateway.services.audited)).not.toMatch(/em_live_|a password/);
  });

  it('contains no accepted key', async () => {
    await start();
    expect(await send('Hello')).toMatch(/^250 /);
    expect(gateway.services.audited).toEqual([]);
  });
});
