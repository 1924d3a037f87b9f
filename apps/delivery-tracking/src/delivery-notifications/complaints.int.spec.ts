import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailAccepted, emailComplained, emailHandedOver } from '@postern/contracts';
import { DkimSigner, generateDkimKeyPair } from '@postern/mail';
import { startDnsServer, type TestDns } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { feedbackReport } from '../testing/example-reports.js';
import { anEmail, BOUNCE_DOMAIN, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { sendMail } from '../testing/smtp-conversation.js';

const LOOP = 'feedback@arf.provider.test';
const FEEDBACK = `fbl@${BOUNCE_DOMAIN}`;

let dns: TestDns;
let tracking: RunningTracking;
let signers: { readonly provider: DkimSigner; readonly attacker: DkimSigner; readonly slow: DkimSigner };

beforeAll(async () => {
  dns = await startDnsServer();
  tracking = await RunningTracking.start({
    POSTERN_COMPLAINT_CLIENTS: '192.0.2.0/24',
    POSTERN_COMPLAINT_SENDERS: `arf.provider.test,slow.test`,
    POSTERN_DNS_SERVERS: dns.address,
  });
  signers = {
    provider: await signerOf('provider.test'),
    attacker: await signerOf('evil.test'),
    slow: await signerOf('slow.test'),
  };
}, 60_000);
afterAll(async () => {
  await tracking?.stop();
  await dns.stop();
});

describe('a complaint', () => {
  it('counts when the feedback loop of a provider has signed it', async () => {
    const emailId = await sentEmail();
    await expect(report(emailId, { from: LOOP, signer: signers.provider })).resolves.toBe(250);
    await expect(tracking.event(emailComplained, emailId)).resolves.toBeDefined();
  });

  it.each<[string, () => Parameters<typeof report>[1]]>([
    ['is not signed', () => ({ from: 'MAILER-DAEMON@x.test' })],
    ['is not signed, but names a feedback loop as its author', () => ({ from: LOOP })],
    ['comes to the return path itself', () => ({ from: LOOP, toReturnPath: true })],
    ['is signed by a domain that is no feedback loop', () => ({ from: 'me@evil.test', signer: signers.attacker })],
    ['names a feedback loop, but another domain has signed it', () => ({ from: LOOP, signer: signers.attacker })],
    ['is signed by a provider for one of its users', () => ({ from: 'eve@provider.test', signer: signers.provider })],
    ['has two authors', () => ({ from: LOOP, signer: signers.provider, prepend: 'From: eve@evil.test\r\n' })],
    ['was changed after it was signed', () => ({ from: LOOP, signer: signers.provider, change: ['abuse', 'fraud'] })],
    [
      'has more signatures than a feedback loop makes',
      () => ({
        from: LOOP,
        signer: signers.provider,
        prepend: 'DKIM-Signature: v=1; d=arf.provider.test; s=x\r\n'.repeat(10),
      }),
    ],
  ])('of a sender with a copy of the message does not count when it %s', async (_, made) => {
    const emailId = await sentEmail();
    const before = await ignored();
    await expect(report(emailId, made())).resolves.toBe(250);
    await expect(ignored()).resolves.toBe(before + 1);
    expect(tracking.eventsOf(emailId)).toEqual([]);
  });

  it('is requested again while the key of the feedback loop cannot be read', async () => {
    const emailId = await sentEmail();
    dns.failWith('loop._domainkey.slow.test', 'SERVFAIL');
    await expect(report(emailId, { from: 'fbl@slow.test', signer: signers.slow })).resolves.toBe(451);
    dns.failWith('loop._domainkey.slow.test', undefined);
    await expect(report(emailId, { from: 'fbl@slow.test', signer: signers.slow })).resolves.toBe(250);
    await tracking.event(emailComplained, emailId);
  });
});

interface ReportOptions {
  readonly from: string;
  readonly signer?: DkimSigner;
  readonly prepend?: string;
  readonly change?: readonly [string, string];
  readonly toReturnPath?: boolean;
}

/** Sends a report about the first recipient's copy; anyone who knows the return path can write it. */
async function report(emailId: string, options: ReportOptions): Promise<number> {
  const { from, signer, prepend = '', change = ['', ''], toReturnPath = false } = options;
  const returnPath = tracking.returnPath(emailId);
  const message = feedbackReport(returnPath).replace(/^From: .*$/m, `From: Feedback <${from}>`);
  const end = message.indexOf('\r\n\r\n');
  const body = Buffer.from(message.slice(end + 4));
  const headerLines = message
    .slice(0, end)
    .split('\r\n')
    .map(line => ({ name: line.slice(0, line.indexOf(':')), line }));
  const signature = signer ? `${(await signer.sign({ headerLines, body })).line}\r\n` : '';
  return sendMail(tracking.smtpPort, {
    from,
    to: toReturnPath ? returnPath : FEEDBACK,
    message: `${prepend}${signature}${message}`.replace(...change),
  });
}

async function sentEmail(): Promise<string> {
  const email = anEmail({ email_id: uuidv7() });
  await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
  return email.email_id;
}

async function signerOf(domain: string): Promise<DkimSigner> {
  const { privateKey, record } = await generateDkimKeyPair();
  dns.setRecords(`loop._domainkey.${domain}`, 'TXT', [record]);
  return new DkimSigner({ domain, selector: 'loop', privateKey });
}

const ignored = () => tracking.counter('postern_tracking_reports_ignored', 'cause="complaint_without_evidence"');
