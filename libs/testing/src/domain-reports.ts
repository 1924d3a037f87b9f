import { deflateRawSync } from 'node:zlib';

/** One record of an aggregate report. */
export interface ReportRecord {
  readonly ip: string;
  readonly count: number | string;
  readonly dkim: 'pass' | 'fail';
  readonly spf: 'pass' | 'fail';
  readonly disposition?: 'none' | 'quarantine' | 'reject';
  /** Domains that a valid signature and the envelope name. */
  readonly dkimDomain?: string;
  readonly spfDomain?: string;
}

interface ReportOptions {
  readonly domain: string;
  readonly id?: string;
  readonly begins?: Date;
  readonly ends?: Date;
}

const DAY_MS = 86_400_000;
const yesterday = () => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS);
const endOf = (begins: Date) => new Date(begins.getTime() + DAY_MS - 1_000);

const xmlOf = ({ ip, count, dkim, spf, disposition = 'none', dkimDomain, spfDomain }: ReportRecord): string =>
  `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated>` +
  `<disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>` +
  '<identifiers><header_from>shop.example</header_from></identifiers><auth_results>' +
  `${dkimDomain ? `<dkim><domain>${dkimDomain}</domain><selector>s</selector><result>pass</result></dkim>` : ''}` +
  `${spfDomain ? `<spf><domain>${spfDomain}</domain><result>pass</result></spf>` : ''}</auth_results></record>`;

/** A DMARC aggregate report (RFC 7489 appendix C) about yesterday. */
export function dmarcReport(options: ReportOptions, records: readonly ReportRecord[]): string {
  const { domain, id = '42', begins = yesterday(), ends = endOf(begins) } = options;
  return (
    `<?xml version="1.0"?>\n<feedback><report_metadata><org_name>Receiver &amp; Co</org_name><report_id>${id}</report_id>` +
    `<date_range><begin>${begins.getTime() / 1_000}</begin><end>${ends.getTime() / 1_000}</end></date_range>` +
    `</report_metadata><policy_published><domain>${domain}</domain><p>none</p></policy_published>\n` +
    `${records.map(xmlOf).join('\n')}</feedback>`
  );
}

/** An SMTP TLS report (RFC 8460) about yesterday with one failure. */
export function tlsReport({
  domain,
  id = 'tls-42',
  begins = yesterday(),
  ends = endOf(begins),
}: ReportOptions): string {
  return JSON.stringify({
    'organization-name': 'Receiver',
    'date-range': { 'start-datetime': begins.toISOString(), 'end-datetime': ends.toISOString() },
    'report-id': id,
    policies: [
      {
        policy: { 'policy-type': 'sts', 'policy-domain': domain },
        summary: { 'total-successful-session-count': 5_326, 'total-failure-session-count': 303 },
        'failure-details': [
          {
            'result-type': 'certificate-expired',
            'receiving-mx-hostname': `mx.${domain}`,
            'failed-session-count': 303,
          },
        ],
      },
    ],
  });
}

/** A mail with a report as its attachment. */
export const reportMail = (from: string, type: string, document: Buffer): string =>
  `From: Reports <${from}>\r\nSubject: Report Domain: shop.example\r\nMIME-Version: 1.0\r\n` +
  'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n' +
  `--b\r\nContent-Type: ${type}; name="report"\r\nContent-Transfer-Encoding: base64\r\n\r\n` +
  `${document.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n--b--\r\n`;

/** A zip with one file, deflated (8) or stored (0). */
export function zipOf(content: string, method: 0 | 8 = 8): Buffer {
  const data = method === 8 ? deflateRawSync(content) : Buffer.from(content);
  const name = Buffer.from('report.xml');
  const file = Buffer.alloc(30);
  file.writeUInt32LE(0x04034b50, 0);
  file.writeUInt16LE(method, 8);
  file.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(data.length, 20);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(file.length + name.length + data.length, 16);
  return Buffer.concat([file, name, data, entry, name, end]);
}
