import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { zoneLine } from '../commands/dns.js';
import { readConfiguration } from '../configuration/read-configuration.js';
import { EXAMPLE, SETTINGS } from '../testing/example.js';
import { recordsOf } from './records.js';

const configuration = readConfiguration(EXAMPLE, SETTINGS);
const key = Buffer.from(
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey,
).toString('base64');

describe('The records to publish', () => {
  const records = recordsOf(configuration, { ipv4: ['192.0.2.10'], ipv6: ['2001:db8::10'] }, key);
  const valuesOf = (name: string, type: string) =>
    records.filter(record => record.name === name && record.type === type).map(({ value }) => value);

  it('lead every name to the server', () => {
    expect(valuesOf('postern.example.com', 'A')).toEqual(['192.0.2.10']);
    expect(valuesOf('*.apps.example.com', 'AAAA')).toEqual(['2001:db8::10']);
    expect(valuesOf('bounces.mail.example.com', 'MX')).toEqual(['10 mx.mail.example.com.']);
  });

  it('lead the host of open databases to the server over IPv4, unless it has a record as the gateway', () => {
    const recordsFor = (host: string) => {
      const opened = readConfiguration(`${EXAMPLE}databases: { external_host: ${host} }`, SETTINGS);
      const all = recordsOf(opened, { ipv4: ['192.0.2.10'], ipv6: ['2001:db8::10'] }, key);
      return all.filter(({ name }) => name === host).map(({ type, value }) => `${type} ${value}`);
    };
    expect(recordsFor('db.example.com')).toEqual(['A 192.0.2.10']);
    expect(recordsFor('postern.example.com')).toEqual(['A 192.0.2.10', 'AAAA 2001:db8::10']);
  });

  it('permit the addresses of the server to send', () =>
    expect(valuesOf('spf.mail.example.com', 'TXT')).toEqual(['v=spf1 ip4:192.0.2.10 ip6:2001:db8::10 -all']));

  it('have the public half of the DKIM key, in strings of at most 255 bytes in a zone file', () => {
    const [record] = records.filter(({ name }) => name === 'postern._domainkey.sandbox.mail.example.com');
    expect(record?.value).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{380,}$/);
    const strings = [...zoneLine(record!).matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
    expect(strings.length).toBeGreaterThan(1);
    expect(Math.max(...strings.map(text => text.length))).toBeLessThanOrEqual(255);
    expect(strings.join('')).toBe(record?.value);
  });
});
