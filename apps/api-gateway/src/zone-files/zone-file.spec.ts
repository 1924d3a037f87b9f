import { expect, it } from '@jest/globals';
import type { DnsRecord, SendingDomain } from '@postern/contracts';
import { zoneFileOf } from './zone-file.js';

const record = (purpose: DnsRecord['purpose'], change: Partial<DnsRecord> = {}): DnsRecord => ({
  purpose,
  type: 'TXT',
  name: 'example.com',
  value: 'v=spf1 include:spf.postern.test ~all',
  found: null,
  ok: false,
  problem: null,
  ...change,
});
const domain = (records: DnsRecord[], change: Partial<SendingDomain> = {}): SendingDomain => ({
  id: '0198c9f0-0000-7000-8000-000000000004',
  domain: 'example.com',
  status: 'pending',
  records,
  optional_records: [],
  tracking: null,
  last_checked_at: null,
  verified_at: null,
  created_at: '2030-01-01T00:00:00.000Z',
  ...change,
});
const linesOf = (file: string) => file.split('\n').filter(line => line !== '' && !/^[;$]/.test(line));

it('A zone file has every record of the domain, with absolute names', () => {
  const file = zoneFileOf(
    domain([record('spf'), record('dmarc', { name: '_dmarc.example.com', value: 'v=DMARC1; p=none' })], {
      optional_records: [
        {
          ...record('spf'),
          purpose: 'return_path',
          type: 'CNAME',
          name: 'bounces.example.com',
          value: 'b.postern.test',
        },
      ],
    }),
  );
  expect(file).toMatch(/^\$ORIGIN example\.com\.\n\$TTL 3600$/m);
  expect(linesOf(file)).toEqual([
    'example.com. IN TXT "v=spf1 include:spf.postern.test ~all"',
    '_dmarc.example.com. IN TXT "v=DMARC1; p=none"',
    'bounces.example.com. IN CNAME b.postern.test.',
  ]);
});

it('A long value consists of strings of at most 255 characters, with quotes escaped', () => {
  const value = `v=DKIM1; p=${'A'.repeat(392)}`;
  const [line = ''] = linesOf(zoneFileOf(domain([record('dkim', { value }), record('dkim', { value: 'a"b\\c' })])));
  const strings = [...line.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
  expect(strings.map(({ length }) => length)).toEqual([255, value.length - 255]);
  expect(strings.join('')).toBe(value);
  expect(zoneFileOf(domain([record('dkim', { value: 'a"b\\c' })]))).toContain('IN TXT "a\\"b\\\\c"');
});

it.each<[string, Partial<DnsRecord>, RegExp]>([
  ['was found', { ok: true, found: ['v=spf1 include:spf.postern.test ~all'] }, /^; Found at the last check:$/m],
  ['would be a second one', { found: ['v=spf1 include:other.test -all'] }, /^; example\.com has another record.*Edit/m],
])('A record that %s is a comment', (_, change, reason) => {
  const file = zoneFileOf(domain([record('spf', change)]));
  expect(linesOf(file)).toEqual([]);
  expect(file).toMatch(reason);
  expect(file).toMatch(/^; example\.com\. IN TXT "v=spf1/m);
});

it.each([
  ['below the domain', 'click.example.com', false, 'click.example.com. IN CNAME mail.postern.test.'],
  ['that was found', 'click.example.com', true, '; click.example.com. IN CNAME mail.postern.test.'],
  ['that is the domain', 'example.com', false, '; example.com. IN CNAME mail.postern.test.'],
])('The record of a tracking host %s is a line, or a comment if it must not be added', (_, host, ok, line) => {
  const published = { type: 'CNAME', name: host, value: 'mail.postern.test', found: null, ok, problem: null } as const;
  const tracking = {
    host,
    status: 'pending',
    verified_at: null,
    record: { purpose: 'tracking', ...published },
  } as const;
  expect(zoneFileOf(domain([], { tracking })).split('\n')).toContain(line);
});
