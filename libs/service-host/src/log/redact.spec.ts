import { describe, expect, it } from '@jest/globals';
import { legalAddresses } from '@postern/testing/legal-addresses';
import fc from 'fast-check';
import { pino } from 'pino';
import { redactLine } from './redact.js';
import { logOptions, type PlainFields, plainLines } from './service-log.js';

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
    ['hides session tokens', 'Bearer st_live_a-b_C9', 'Bearer st_live_…'],
    ['hides URLs of deploy hooks', 'POST /hooks/deploy/dh_live_a-b_C9', 'POST /hooks/deploy/dh_live_…'],
    ['hides secrets of deploy hooks', '"X-Gitlab-Token: dhsec_a-b_C9"', '"X-Gitlab-Token: dhsec_…"'],
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
        // A text that precedes `/@` is indistinguishable from the path of a package.
        fc.pre(!address.includes('/@'));
        const line = redactLine(JSON.stringify({ to: address, answer: `550 <${address}> is unknown` }));
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

  it('contains no key and no address in its remaining fields', () => {
    const written = logged({ route: '/emails', client: 'ada@example.com', keyHash: 'em_live_abc' });
    expect(JSON.parse(written)).toMatchObject({ service: 'billing', client: '…@example.com', keyHash: 'em_live_…' });
  });

  describe('of plain fields', () => {
    const plain = (level: string, fields: PlainFields) => {
      let written = '';
      const output = { write: (line: string) => (written += line) };
      plainLines('billing', pino({ ...logOptions('billing', level) }, output), output)(fields, 'It happened');
      return written;
    };

    it('has the format of other lines, without keys and addresses', () => {
      const line = plain('info', { route: '/emails', client: 'ada@example.com', keyHash: 'em_live_abc', n: 1 });
      expect(line).toMatch(/^{"level":"info","time":"[^"]+Z","service":"billing",.*}\n$/);
      expect(JSON.parse(line)).toEqual({
        ...JSON.parse(logged({})),
        level: 'info',
        time: expect.any(String),
        route: '/emails',
        client: '…@example.com',
        keyHash: 'em_live_…',
        n: 1,
        msg: 'It happened',
      });
    });

    it('is not written if the log level is higher', () => {
      expect(plain('warn', { route: '/emails' })).toBe('');
    });
  });

  const SECRET = 'correct-horse-battery-staple';
  const secretName = fc
    .constantFrom(
      ...[
        'password',
        'new_password',
        'secret',
        'webhookSecret',
        'token',
        'sessionToken',
        'csrf-token',
        'key',
        'api_key',
      ],
      ...[
        'apiKey',
        'Api-Key',
        'privateKey',
        'Authorization',
        'cookie',
        'Set-Cookie',
        'html',
        'text',
        'body',
        'payload',
      ],
      ...['credential', 'accessTokens'],
    )
    .chain(name => fc.constantFrom(name, name.toUpperCase()));
  const secretValue = fc.constantFrom<unknown>(
    SECRET,
    [SECRET],
    { given: SECRET },
    Buffer.from(SECRET),
    new Error(SECRET),
    new URL(`https://x.test/${SECRET}`),
  );
  const bare = fc.tuple(secretName, secretValue).map(([name, value]): object => ({ [name]: value, id: 'shown' }));

  class Connection {
    constructor(readonly options: object) {}
  }

  const wrapped = fc.array(
    fc.constantFrom<(inner: object) => object>(
      inner => ({ inner, other: 1 }),
      inner => ({ list: [0, inner, 'x'] }),
      inner => new Connection(inner),
      inner => ({ toJSON: () => inner }),
      inner => Object.assign(new Error('It broke'), { inner }),
      inner => Object.assign(new AggregateError([Object.assign(new Error('It broke'), inner)], 'both'), { code: 'X' }),
    ),
    { maxLength: 7 },
  );

  it.each(['fields', 'err'])('contains no value of a secret field at any nesting, in %s', place =>
    fc.assert(
      fc.property(bare, wrapped, (innermost, wrappers) => {
        const fields = wrappers.reduce<object>((inner, wrap) => wrap(inner), innermost);
        const err = Object.assign(new Error('It broke'), { ...fields });
        const written = logged(place === 'fields' ? fields : { err });
        expect(written).toContain('It failed');
        expect(written).not.toContain(SECRET);
        expect(written).not.toContain(JSON.stringify([...Buffer.from(SECRET)]).slice(1, -1));
      }),
      { numRuns: 200 },
    ),
  );

  it('contains all other fields unchanged, and does not modify the given objects', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('id', 'count', 'keyHash', 'route'), fc.jsonValue({ maxDepth: 0 })),
        fields => {
          const given = { nested: fields, password: 'x' };
          const line = JSON.parse(logged(given));
          expect(line.nested).toEqual(JSON.parse(redactLine(JSON.stringify(fields))));
          expect(given).toEqual({ nested: fields, password: 'x' });
        },
      ),
    ));

  it('is written even if its fields cannot be read', () => {
    const fields = Object.defineProperty({}, 'broken', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(logged({ fields })).toContain('It failed');
    const cyclic: Record<string, unknown> = { id: 1 };
    cyclic['itself'] = cyclic;
    expect(logged(cyclic)).toContain('It failed');
  });
});
