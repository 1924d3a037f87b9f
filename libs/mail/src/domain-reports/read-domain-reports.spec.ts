import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { dmarcReport, type ReportRecord, reportMail, tlsReport, zipOf } from '@postern/testing';
import fc from 'fast-check';
import { authorOfMail, readDomainReports } from './read-domain-reports.js';

const PERIOD = { begins: new Date('2026-01-01T00:00:00Z'), ends: new Date('2026-01-01T23:59:59Z') };
const RECORDS: readonly ReportRecord[] = [
  { ip: '192.0.2.1', count: 3, dkim: 'pass', spf: 'fail', dkimDomain: 'shop.example', spfDomain: 'bounce.test' },
  { ip: '198.51.100.7', count: 2, dkim: 'fail', spf: 'fail', disposition: 'quarantine', dkimDomain: 'other.example' },
];
const dmarc = (records = RECORDS) => dmarcReport({ domain: 'Shop.Example', ...PERIOD }, records);
const tls = () => tlsReport({ domain: 'shop.example', ...PERIOD });
const read = (type: string, document: Buffer) => readDomainReports(mail(type, document));
const mail = (type: string, document: Buffer) => Buffer.from(reportMail('NoReply@receiver.example', type, document));
const readXml = (xml: string) => read('application/gzip', gzipSync(xml));

describe('a report about a domain', () => {
  it.each([
    ['gzip', 'application/gzip', gzipSync(dmarc())],
    ['zip', 'application/zip', zipOf(dmarc())],
    ['a zip without compression', 'application/x-zip-compressed', zipOf(dmarc(), 0)],
    ['gzip of an unknown type', 'application/octet-stream', gzipSync(dmarc())],
    ['plain XML', 'text/xml', Buffer.from(dmarc())],
  ])('about DMARC is read from %s (RFC 7489)', (_, type, document) => {
    expect(read(type, document)).toEqual([
      {
        kind: 'dmarc',
        domain: 'shop.example',
        reportId: '42',
        beginsAt: PERIOD.begins,
        endsAt: PERIOD.ends,
        passed: 3,
        failed: 2,
        sources: [
          source({ sourceIp: '198.51.100.7', failed: 2, quarantined: 2, dkimDomain: 'other.example' }),
          source({
            sourceIp: '192.0.2.1',
            passed: 3,
            dkimAligned: 3,
            dkimDomain: 'shop.example',
            spfDomain: 'bounce.test',
          }),
        ],
        failures: [],
      },
    ]);
  });

  it.each([
    ['gzip', 'application/tlsrpt+gzip', gzipSync(tls())],
    ['JSON', 'application/tlsrpt+json', Buffer.from(tls())],
  ])('about TLS is read from %s (RFC 8460)', (_, type, document) => {
    expect(read(type, document)).toEqual([
      {
        kind: 'tls',
        domain: 'shop.example',
        reportId: 'tls-42',
        beginsAt: PERIOD.begins,
        endsAt: PERIOD.ends,
        passed: 5_326,
        failed: 303,
        sources: [],
        failures: [{ resultType: 'certificate-expired', mailServer: 'mx.shop.example', sessions: 303 }],
      },
    ]);
  });

  it('is read if it is the whole mail, not an attachment', () => {
    const whole = `From: a@receiver.example\r\nContent-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
    expect(readDomainReports(Buffer.from(whole + gzipSync(dmarc()).toString('base64')))).toHaveLength(1);
  });

  it('is read with a namespace and with unknown elements', () => {
    const xml = dmarc()
      .replaceAll('<record>', '<record><extension><a/></extension>')
      .replace(/<(\/?)(feedback|record)>/g, '<$1d:$2>');
    expect(readXml(xml)).toMatchObject([{ passed: 3, failed: 2 }]);
  });

  it('adds up the records of one source, in any spelling of its address', () => {
    const [report] = readXml(
      dmarc([
        { ip: '2001:db8:0:0::1', count: 3, dkim: 'pass', spf: 'fail', dkimDomain: 'shop.example' },
        { ip: '2001:DB8::1', count: 4, dkim: 'fail', spf: 'fail', disposition: 'reject', dkimDomain: 'x.example' },
      ]),
    );
    expect(report?.sources).toEqual([
      source({ sourceIp: '2001:db8::1', passed: 3, failed: 4, dkimAligned: 3, rejected: 4, dkimDomain: 'x.example' }),
    ]);
  });

  it('adds up the policies of one domain', () => {
    const report = JSON.parse(tls()) as { policies: unknown[] };
    report.policies.push(...report.policies);
    expect(read('application/tlsrpt+json', Buffer.from(JSON.stringify(report)))).toMatchObject([
      { passed: 10_652, failed: 606, failures: [{ sessions: 606 }] },
    ]);
  });

  it('names its author, unless there are two', () => {
    expect(authorOfMail(mail('text/xml', Buffer.from(dmarc())))).toBe('noreply@receiver.example');
    expect(authorOfMail(Buffer.from('From: a@x.example\r\nFrom: b@x.example\r\n\r\n'))).toBeUndefined();
  });
});

describe('hostile input', () => {
  const doctype = (declared: string) => dmarc().replace('<feedback>', `<!DOCTYPE f [${declared}]><feedback>`);

  it.each([
    ['an entity that expands without end', doctype(`<!ENTITY a "${'x'.repeat(99)}"><!ENTITY b "&a;&a;&a;">`)],
    ['an external entity', doctype('<!ENTITY x SYSTEM "file:///etc/passwd">')],
    ['a document type in small letters', dmarc().replace('<feedback>', '<!doctype f><feedback>')],
    ['another document', '<html><body>feedback</body></html>'],
    ['a domain that is none', dmarc().replace('Shop.Example', 'a b@c')],
    ['a date that is none', dmarc().replace(/<begin>\d+/, '<begin>1e300')],
    ['an end before the beginning', dmarc().replace(/<end>\d+/, '<end>1000000000')],
    ['no end', dmarc().replace('</feedback>', '')],
    ['a record that does not end', dmarc().replace('</record>', '')],
    ['two reports in one', dmarc() + dmarc().slice(dmarc().indexOf('<feedback>'))],
    ['broken JSON', tls().slice(0, 100)],
    ['nothing but brackets', `{"policies":${'['.repeat(100_000)}`],
    ['elements in elements', '<feedback>'.repeat(11)],
  ])('is not a report: %s', (_, document) => {
    expect(readXml(document)).toEqual([]);
  });

  it('decodes only the entities of XML itself', () => {
    const [report] = readXml(dmarc().replace('>42<', '>&lt;&#52;2&unknown;<'));
    expect(report?.reportId).toBe('<42&unknown;');
  });

  it.each([
    ['a gzip of 40 MiB', 'application/gzip', () => gzipSync(Buffer.alloc(40 << 20, ' '))],
    ['a zip of 8 MiB', 'application/zip', () => zipOf(dmarc().replace('<record>', `${' '.repeat(8 << 20)}<record>`))],
    ['a million nested elements', 'application/gzip', () => gzipSync('<feedback>'.repeat(400_000))],
    ['a million elements', 'application/gzip', () => gzipSync(`<feedback>${'<a/>'.repeat(1_000_000)}`)],
    ['a million attributes', 'application/gzip', () => gzipSync(`<feedback ${'a '.repeat(2_000_000)}>`)],
    ['a million entities', 'application/gzip', () => gzipSync(`<feedback>${'&lt;'.repeat(1_000_000)}`)],
    ['nested arrays', 'application/gzip', () => gzipSync('{"a":'.repeat(800_000))],
  ])('takes less than two seconds and little memory: %s', (_, type, made) => {
    const bytes = mail(type, made());
    const before = process.cpuUsage().user;
    expect(readDomainReports(bytes)).toEqual([]);
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(2_000);
    expect(process.memoryUsage().rss).toBeLessThan(2 * 1024 ** 3);
  });

  it('keeps no more than 50 sources, those with the most failures, and counts all', () => {
    const many = Array.from({ length: 300 }, (_, at): ReportRecord => {
      return { ip: `10.0.${at >> 8}.${at & 255}`, count: at + 1, dkim: 'fail', spf: 'fail' };
    });
    const [report] = readXml(dmarc(many));
    expect(report?.sources).toHaveLength(50);
    expect(report?.sources[0]).toMatchObject({ sourceIp: '10.0.1.43', failed: 300 });
    expect(report?.failed).toBe((300 * 301) / 2);
  });

  it('limits counts, and omits records with an invalid count or address', () => {
    const one = { dkim: 'fail', spf: 'fail' } as const;
    const [report] = readXml(
      dmarc([
        { ...one, ip: '192.0.2.1', count: '999999999999999' },
        { ...one, ip: '192.0.2.1', count: '999999999999999' },
        ...['1e9', '-5', '0x10', '', '9'.repeat(400)].map(count => ({ ...one, ip: '192.0.2.2', count })),
        ...['127.0.0.1.5', 'fe80::1%eth0', 'x', "1';--"].map(ip => ({ ...one, ip, count: 1 })),
      ]),
    );
    expect(report?.failed).toBe(1_000_000_000);
    expect(report?.sources).toEqual([source({ sourceIp: '192.0.2.1', failed: 1_000_000_000 })]);
  });

  it('is read or ignored for any input', () => {
    const documents = [gzipSync(dmarc()), zipOf(dmarc()), Buffer.from(dmarc()), Buffer.from(tls())];
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
        fc.nat(),
        (document, changes, cut) => {
          const bytes = Buffer.from(document);
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
          for (const report of read('application/zip', bytes.subarray(0, cut % (bytes.length + 1)))) {
            expect(report.sources.length).toBeLessThanOrEqual(50);
            expect(() => report.beginsAt.toISOString()).not.toThrow();
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

const source = (change: object) => ({
  passed: 0,
  failed: 0,
  dkimAligned: 0,
  spfAligned: 0,
  quarantined: 0,
  rejected: 0,
  ...change,
});
