import type { DnsRecord, OptionalDnsRecord, SendingDomain, TrackingHost } from '@postern/contracts';

type AnyRecord = DnsRecord | OptionalDnsRecord | TrackingHost['record'];

const TTL_S = 3_600;
/** A character string of a TXT record has at most 255 bytes (RFC 1035 §3.3.14). */
const MAX_STRING = 255;

/**
 * The DNS records of a sending domain as a zone file (RFC 1035 §5). Records that must not be added, because the domain has
 * them or has another one that must be edited instead, are comments.
 */
export const zoneFileOf = ({ domain, records, optional_records = [], tracking }: SendingDomain): string =>
  [
    `; DNS records for sending email from ${domain}. Import them at your DNS provider, then verify the domain.`,
    `$ORIGIN ${domain}.`,
    `$TTL ${TTL_S}`,
    ...records.flatMap(record => linesOf(record, whyNot(record))),
    ...(optional_records.length > 0
      ? ['', '; Optional: a second signature, and SPF alignment with a return path.']
      : []),
    ...optional_records.flatMap(record => linesOf(record, whyNot(record))),
    ...(tracking ? ['', '; The host of links and pixels in messages.', ...trackingLines(tracking, domain)] : []),
    '',
  ].join('\n');

/** A zone cannot have a CNAME record at its own name (RFC 1912 §2.4), where addresses are published instead. */
const trackingLines = ({ host, record }: TrackingHost, domain: string): string[] =>
  linesOf(
    record,
    host === domain && !record.ok
      ? `${host} cannot have a CNAME record if it is a zone. Publish the addresses of ${record.value} instead of:`
      : whyNot(record),
  );

const linesOf = (record: AnyRecord, reason: string | undefined): string[] => {
  const line = `${record.name}. IN ${record.type} ${recordData(record)}`;
  return reason === undefined ? [line] : [`; ${reason}`, `; ${line}`];
};

const recordData = ({ type, value }: AnyRecord): string =>
  type === 'CNAME'
    ? `${value}.`
    : (value.match(new RegExp(`.{1,${MAX_STRING}}`, 'g')) ?? [''])
        .map(text => `"${text.replace(/["\\]/g, '\\$&')}"`)
        .join(' ');

/** Why the record must not be imported; undefined if it may be. */
const whyNot = ({ purpose, name, found, ok }: AnyRecord): string | undefined => {
  if (ok) return 'Found at the last check:';
  const begins = { spf: /^v=spf1\b/i, dmarc: /^v=DMARC1\b/i }[purpose as string];
  return begins && found?.some(text => begins.test(text.trim()))
    ? `${name} has another record of this kind, and only one is allowed. Edit that record instead of adding:`
    : undefined;
};
