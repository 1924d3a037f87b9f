import { describe, expect, it } from '@jest/globals';
import { legalAddresses } from '@postern/testing/legal-addresses';
import fc from 'fast-check';
import { pino } from 'pino';
import { redactLine } from './redact.js';
import { logOptions, withoutFieldRedaction } from './service-log.js';

const logged = (fields: object): string => {
  let written = '';
  pino(logOptions('billing', 'info'), { write: line => (written += line) }).error(fields, 'It failed');
  return written;
};

describe('A log line', () => {
  it.each([
    ['keeps the domain of an address only', '"to":"Ada <ada.l@x.example>"', '"to":"Ada <…@x.example>"'],
    ['hides local parts in any script', '{"to":"адам@пример.рф"}', '{"to":"…@пример.рф"}'],
    ['hides passwords in URLs', 'postgres://u:p%40ss@db:5432/x', 'postgres://u:…@db:5432/x'],
    ['hides what follows the prefix of a key', 'key em_live_AbC123 and whsec_Zm9v=', 'key em_live_… and whsec_…'],
    ['hides local parts before an A-label', '{"to":"ada@xn--e1afmkfd.xn--p1ai"}', '{"to":"…@xn--e1afmkfd.xn--p1ai"}'],
    ['hides local parts before a literal', 'RCPT <ada@[192.0.2.1]>', 'RCPT <…@[192.0.2.1]>'],
    ['hides quoted local parts', '{"to":"\\"ada l\\"@x.example"}', '{"to":"…@x.example"}'],
    [
      'leaves stack traces alone',
      'at /app/node_modules/@nestjs/core/x.js:1:2',
      'at /app/node_modules/@nestjs/core/x.js:1:2',
    ],
  ])('%s', (_title, line, expected) => {
    expect(redactLine(line)).toBe(expected);
  });

  it('contains no valid address', () =>
    fc.assert(
      fc.property(legalAddresses(), address => {
        // Before `/@` nothing can be told from the path of a package.
        fc.pre(!address.includes('/@'));
        const line = redactLine(JSON.stringify({ to: address, told: `550 <${address}> is unknown` }));
        expect(line).not.toContain(JSON.stringify(address).slice(1, -1));
      }),
    ));

  it('hides the row that PostgreSQL rejected, alone and among several errors', () => {
    const refused = Object.assign(new Error('violates check constraint'), {
      detail: 'Failing row contains (7, $argon2id$v=19$secret).',
    });
    expect(logged({ err: refused })).toMatch(/violates check constraint/);
    expect(logged({ err: refused })).not.toMatch(/argon2id/);
    expect(logged({ err: new AggregateError([refused], 'both failed') })).not.toMatch(/argon2id/);
  });

  it('without the redaction of fields still shows no key and no address', () => {
    let written = '';
    const log = pino(logOptions('billing', 'info'), { write: line => (written += line) });
    withoutFieldRedaction(log).info({ route: '/emails', client: 'ada@example.com', keyHash: 'em_live_abc' }, 'Done');
    expect(JSON.parse(written)).toMatchObject({ service: 'billing', client: '…@example.com', keyHash: 'em_live_…' });
  });
});
