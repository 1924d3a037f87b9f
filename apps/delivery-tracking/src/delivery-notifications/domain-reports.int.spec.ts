import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type DomainReportOutcome,
  emailAccepted,
  emailDelivered,
  emailHandedOver,
  type RequestOf,
  recordDomainReport,
} from '@postern/contracts';
import { DkimSigner, generateDkimKeyPair } from '@postern/mail';
import { PosternServer, silentLog } from '@postern/messaging';
import {
  dmarcReport,
  type ReportRecord,
  reportMail,
  startDnsServer,
  type TestDns,
  tlsReport,
  zipOf,
} from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { notification } from '../testing/example-reports.js';
import { anEmail, BOUNCE_DOMAIN, handOverOf, RunningTracking } from '../testing/running-tracking.js';
import { sendMail } from '../testing/smtp-conversation.js';

const REPORTS = `reports@${BOUNCE_DOMAIN}`;
const RECEIVER = 'noreply@receiver.test';
const FAILING: ReportRecord = { ip: '198.51.100.7', count: 2, dkim: 'fail', spf: 'fail', disposition: 'reject' };

let dns: TestDns;
let tracking: RunningTracking;
let emailSend: PosternServer;
let signers: { readonly receiver: DkimSigner; readonly attacker: DkimSigner; readonly slow: DkimSigner };
const received: RequestOf<typeof recordDomainReport>[] = [];
let outcome: DomainReportOutcome | undefined;

beforeAll(async () => {
  dns = await startDnsServer();
  tracking = await RunningTracking.start({ POSTERN_DNS_SERVERS: dns.address });
  emailSend = new PosternServer({ link: tracking.link, service: 'email-send', log: silentLog });
  emailSend.handle(recordDomainReport, async report => {
    received.push(report as RequestOf<typeof recordDomainReport>);
    if (outcome === undefined) throw new Error('The database is down');
    return { outcome };
  });
  emailSend.listen();
  signers = {
    receiver: await signerOf('receiver.test'),
    attacker: await signerOf('evil.test'),
    slow: await signerOf('slow.test'),
  };
}, 60_000);
afterAll(async () => {
  await emailSend?.close();
  await tracking?.stop();
  await dns.stop();
});
beforeEach(() => {
  received.length = 0;
  outcome = 'stored';
});

describe('the mailbox of reports about domains', () => {
  it.each([
    ['a DMARC report as gzip', 'application/gzip', () => gzipSync(dmarc()), 'dmarc'],
    ['a DMARC report as zip', 'application/zip', () => zipOf(dmarc()), 'dmarc'],
    ['a DMARC report as XML', 'text/xml', () => Buffer.from(dmarc()), 'dmarc'],
    ['a TLS report', 'application/tlsrpt+gzip', () => gzipSync(tlsReport({ domain: 'shop.test' })), 'tls'],
  ])('takes %s', async (_, type, made, kind) => {
    await expect(send({ type, document: made() })).resolves.toBe(250);
    expect(received).toMatchObject([{ kind, domain: 'shop.test', reporter: RECEIVER }]);
  });

  it('passes on the content of the report', async () => {
    await send({});
    expect(received).toEqual([
      {
        kind: 'dmarc',
        domain: 'shop.test',
        reporter: RECEIVER,
        report_id: '42',
        begins_at: expect.any(String),
        ends_at: expect.any(String),
        passed: 0,
        failed: 2,
        sources: [
          {
            source_ip: '198.51.100.7',
            passed: 0,
            failed: 2,
            dkim_aligned: 0,
            spf_aligned: 0,
            quarantined: 0,
            rejected: 2,
          },
        ],
        failures: [],
      },
    ]);
  });

  it('accepts mail at the return-path domain of a customer only for return paths', async () => {
    await expect(send({ to: 'reports@bounces.shop.test' })).resolves.toBe(550);
  });

  it('does not discard a notification that is also sent to it', async () => {
    const email = anEmail({ email_id: uuidv7() });
    await tracking.publish([emailAccepted, email], [emailHandedOver, handOverOf(email)]);
    const to = [REPORTS, tracking.returnPath(email.email_id)];
    await expect(sendMail(tracking.smtpPort, { to, message: notification({}) })).resolves.toBe(250);
    await expect(tracking.event(emailDelivered, email.email_id)).resolves.toBeDefined();
  });

  it.each<[string, string, () => Parameters<typeof send>[0]]>([
    ['is not signed', 'unsigned_domain_report', () => ({ signer: undefined })],
    ['is signed by another domain', 'unsigned_domain_report', () => ({ signer: signers.attacker })],
    ['has two authors', 'unsigned_domain_report', () => ({ prepend: 'From: eve@evil.test\r\n' })],
    ['has no author', 'unsigned_domain_report', () => ({ change: [/^From: .*\r\n/m, ''] })],
    ['was changed after it was signed', 'unsigned_domain_report', () => ({ change: [/A report/, 'The report'] })],
    [
      'has more signatures than a receiver makes',
      'unsigned_domain_report',
      () => ({ prepend: 'DKIM-Signature: v=1; d=receiver.test; s=x\r\n'.repeat(10) }),
    ],
    ['is no report', 'unreadable_domain_report', () => ({ document: gzipSync('<html></html>') })],
    ['has a document type', 'unreadable_domain_report', () => ({ document: gzipSync(`<!DOCTYPE x>${dmarc()}`) })],
    ['is a bomb of gzip', 'unreadable_domain_report', () => ({ document: gzipSync(Buffer.alloc(40 << 20, ' ')) })],
    [
      'is a bomb of zip',
      'unreadable_domain_report',
      () => ({ document: zipOf(dmarc() + ' '.repeat(8 << 20)), type: 'application/zip' }),
    ],
  ])('accepts and ignores mail that %s', async (_, cause, options) => {
    const before = await ignored(cause);
    await expect(send(options())).resolves.toBe(250);
    await expect(ignored(cause)).resolves.toBe(before + 1);
    expect(received).toEqual([]);
  });

  it.each<[DomainReportOutcome]>([
    ['unknown_domain'],
    ['repeated_report'],
    ['outdated_report'],
    ['report_limit_reached'],
  ])('counts a report that is not stored: %s', async refused => {
    outcome = refused;
    const before = await ignored(refused);
    await expect(send({})).resolves.toBe(250);
    await expect(ignored(refused)).resolves.toBe(before + 1);
  });

  it('requests the report again while it cannot be stored', async () => {
    outcome = undefined;
    await expect(send({})).resolves.toBe(451);
    outcome = 'stored';
    await expect(send({})).resolves.toBe(250);
  });

  it('requests the report again while the key of its author cannot be read', async () => {
    dns.failWith('report._domainkey.slow.test', 'SERVFAIL');
    await expect(send({ from: 'r@slow.test', signer: signers.slow })).resolves.toBe(451);
    dns.failWith('report._domainkey.slow.test', undefined);
    await expect(send({ from: 'r@slow.test', signer: signers.slow })).resolves.toBe(250);
    expect(received).toHaveLength(1);
  });

  it('does not look up a key outside the public DNS, which anybody can name in a report', async () => {
    const signer = await signerOf('vault.internal');
    const before = await ignored('unsigned_domain_report');
    await expect(send({ from: 'r@vault.internal', signer })).resolves.toBe(250);
    await expect(ignored('unsigned_domain_report')).resolves.toBe(before + 1);
    expect(dns.queries.filter(({ name }) => name.endsWith('vault.internal'))).toEqual([]);
  });
});

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly document?: Buffer;
  readonly signer?: DkimSigner | undefined;
  readonly prepend?: string;
  readonly change?: readonly [RegExp, string];
}

const dmarc = () => dmarcReport({ domain: 'shop.test' }, [FAILING]);

/** Sends a report as a receiver does, or as an attacker can. */
async function send(options: Options): Promise<number> {
  const { from = RECEIVER, to = REPORTS, type = 'application/gzip', document = gzipSync(dmarc()) } = options;
  const { prepend = '', change = [/$^/, ''] } = options;
  const signer = 'signer' in options ? options.signer : signers.receiver;
  const message = reportMail(from, type, document);
  const end = message.indexOf('\r\n\r\n');
  const body = Buffer.from(message.slice(end + 4));
  const headerLines = message
    .slice(0, end)
    .split('\r\n')
    .map(line => ({ name: line.slice(0, line.indexOf(':')), line }));
  const signature = signer ? `${(await signer.sign({ headerLines, body })).line}\r\n` : '';
  return sendMail(tracking.smtpPort, { from, to, message: `${prepend}${signature}${message}`.replace(...change) });
}

async function signerOf(domain: string): Promise<DkimSigner> {
  const { privateKey, record } = await generateDkimKeyPair();
  dns.setRecords(`report._domainkey.${domain}`, 'TXT', [record]);
  return new DkimSigner({ domain, selector: 'report', privateKey });
}

const ignored = (cause: string) => tracking.counter('postern_tracking_reports_ignored', `cause="${cause}"`);
