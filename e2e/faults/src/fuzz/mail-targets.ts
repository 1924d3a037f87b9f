import { gzipSync } from 'node:zlib';
import type { SeededRandom } from '../run/random.js';
import { mutate } from './mutate.js';
import { smtpProblemOf } from './smtp-answers.js';
import { exchange } from './socket.js';
import type { FuzzTarget } from './target.js';

const SILENT_MS = 400;

const report = (kind: 'delivery-status' | 'feedback-report', fields: readonly string[]): string =>
  [
    'From: Mail Delivery System <MAILER-DAEMON@mx.fuzz.test>',
    'Subject: a report',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${kind}; boundary="b"`,
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'A report.',
    '--b',
    `Content-Type: message/${kind}`,
    '',
    ...fields,
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    'Subject: Fuzz',
    '--b--',
    '',
  ].join('\r\n');

const NOTICE = report('delivery-status', [
  'Reporting-MTA: dns; mx.fuzz.test',
  '',
  'Original-Recipient: rfc822; bystander@fuzz.test',
  'Final-Recipient: rfc822; bystander@fuzz.test',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 no such user',
]);

const complaintAbout = (returnPath: string) =>
  report('feedback-report', [
    'Feedback-Type: abuse',
    'User-Agent: Fuzz/1',
    'Version: 1',
    `Original-Mail-From: <${returnPath}>`,
  ]);

const DMARC_XML =
  '<?xml version="1.0"?><feedback><report_metadata><org_name>fuzz</org_name><report_id>1</report_id>' +
  '<date_range><begin>1790000000</begin><end>1790086400</end></date_range></report_metadata>' +
  '<policy_published><domain>fuzz.test</domain><p>none</p></policy_published><record><row><source_ip>192.0.2.1</source_ip>' +
  '<count>2</count><policy_evaluated><dkim>pass</dkim><spf>fail</spf></policy_evaluated></row></record></feedback>';

/** A DMARC report, mutated as XML and then again as gzip, the format of most senders. */
const domainReport = (random: SeededRandom): string => {
  const xml = random.chance(0.7) ? mutate(DMARC_XML, random) : DMARC_XML;
  const packed = gzipSync(Buffer.from(xml, 'latin1')).toString('latin1');
  const changed = Buffer.from(random.chance(0.5) ? mutate(packed, random) : packed, 'latin1').toString('base64');
  const lines = changed.match(/.{1,76}/g) ?? [];
  return [
    'From: reports@fuzz.test',
    'Subject: Report Domain: fuzz.test',
    'MIME-Version: 1.0',
    'Content-Type: application/gzip; name="report.xml.gz"',
    'Content-Transfer-Encoding: base64',
    '',
    ...lines,
    '',
  ].join('\r\n');
};

/** SMTP commands mutated anywhere, including the message data. */
export const smtpTarget = (port: number, returnPath: string): FuzzTarget => ({
  name: 'SMTP',
  attack: async random => {
    const commands = [
      'EHLO mx.fuzz.test',
      'MAIL FROM:<> SIZE=100',
      `RCPT TO:<${changedIn(returnPath, random)}>`,
      'DATA',
      NOTICE,
    ];
    const sent = commands.map(command => (random.chance(0.4) ? mutate(command, random) : command));
    const lines = [...sent.map(command => `${command}\r\n`), '.\r\n', 'QUIT\r\n'];
    return smtpProblemOf(lines, await exchange(port, ['', ...lines], SILENT_MS));
  },
});

/** A return path with an invalid signature. */
const changedIn = (returnPath: string, random: SeededRandom): string => {
  const at = random.integer(0, Math.max(0, returnPath.indexOf('@') - 1));
  return `${returnPath.slice(0, at)}${returnPath[at] === 'a' ? 'b' : 'a'}${returnPath.slice(at + 1)}`;
};

/** Mutated delivery notifications, feedback reports and DMARC reports, sent to return paths and report addresses. */
export const reportTarget = (port: number, returnPath: string): FuzzTarget => {
  const domain = returnPath.slice(returnPath.indexOf('@'));
  return {
    name: 'reports',
    attack: async random => {
      const changed = changedIn(returnPath, random);
      const isOfDomain = random.chance(0.3);
      const recipient = random.pick([changed, `${isOfDomain ? 'reports' : 'fbl'}${domain}`]);
      const whole = isOfDomain ? domainReport(random) : random.chance(0.5) ? NOTICE : complaintAbout(changed);
      const text = (isOfDomain && random.chance(0.7) ? whole : mutate(whole, random)).replace(/\r\n\./g, '\r\n..');
      const envelope = ['EHLO mx.fuzz.test\r\n', 'MAIL FROM:<>\r\n', `RCPT TO:<${recipient}>\r\n`, 'DATA\r\n'];
      const sent = [...envelope, `${text}\r\n.\r\n`, 'QUIT\r\n'];
      return smtpProblemOf(sent, await exchange(port, ['', ...sent], SILENT_MS));
    },
  };
};
