import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateDkimKeyPair, type RelayConfig } from '@postern/mail';
import { startHttpReceiver, startSmtpSink, type TestHttpReceiver, type TestSmtp } from '@postern/testing';
import { readConfiguration } from '../configuration/read-configuration.js';
import { EXAMPLE, SETTINGS } from '../testing/example.js';
import { mailNotice, ping, relayOf } from './deliver.js';

const configuration = readConfiguration(EXAMPLE, SETTINGS);
const notice = { subject: 'postern.example.com: check disk', text: '✗ disk: 2 % free\n' };

describe('A message to the operator', () => {
  let sink: TestSmtp;
  let relay: RelayConfig;
  beforeEach(async () => {
    sink = await startSmtpSink();
    relay = { ...relayOf(configuration, undefined), host: sink.host, port: sink.port };
  });
  afterEach(() => sink.stop());

  it('goes to the mail server of this installation, signed by the sandbox domain, and asks for no reply', async () => {
    const { privateKey } = await generateDkimKeyPair();
    await mailNotice(notice, configuration, relay, Buffer.from(privateKey).toString('base64'));
    const [message] = sink.messages;
    expect(message).toMatchObject({ from: 'postern@sandbox.mail.example.com', to: [{ address: 'owner@example.com' }] });
    const text = message!.raw.toString();
    expect(text).toMatch(/^DKIM-Signature: [\s\S]*d=sandbox\.mail\.example\.com/m);
    expect(text).toMatch(/^Subject: postern\.example\.com: check disk\r$/m);
    expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  });

  it('that is refused says why, so that the next check tells it again', async () => {
    sink.answer({ stage: 'rcpt', code: 550, text: '5.1.1 no such user' });
    await expect(mailNotice(notice, configuration, relay, undefined)).rejects.toThrow('no such user');
    await sink.stop();
    await expect(mailNotice(notice, configuration, relay, undefined)).rejects.toThrow(/ECONNREFUSED|refused/i);
  });

  it('goes over the relay of a provider with its user and password', () => {
    const other = readConfiguration(EXAMPLE.replace('direct', 'smtps://a%40b@smtp.example.net'), SETTINGS);
    expect(relayOf(other, 'secret')).toMatchObject({
      host: 'smtp.example.net',
      port: 465,
      security: 'tls',
      auth: { user: 'a@b', pass: 'secret' },
    });
  });
});

describe('The ping of a check', () => {
  let monitoring: TestHttpReceiver;
  beforeEach(async () => {
    monitoring = await startHttpReceiver();
  });
  afterEach(() => monitoring.stop());

  it('requests the URL, and the URL with /fail after a failure, with what failed', async () => {
    await ping(`${monitoring.url}/abc`, false, 'all good');
    await ping(`${monitoring.url}/abc/`, true, 'disk: 2 % free');
    expect(monitoring.requests.map(({ method, url, body }) => [method, url, body.toString()])).toEqual([
      ['POST', '/abc', 'all good'],
      ['POST', '/abc/fail', 'disk: 2 % free'],
    ]);
  });

  it('is repeated twice, and then fails with the answer', async () => {
    monitoring.answerNext({ status: 503 });
    await ping(`${monitoring.url}/abc`, false, '', 1);
    expect(monitoring.requests).toHaveLength(2);
    monitoring.answerWith({ status: 404 });
    await expect(ping(`${monitoring.url}/abc`, false, '', 1)).rejects.toThrow('answered 404');
    expect(monitoring.requests).toHaveLength(5);
  });
});
