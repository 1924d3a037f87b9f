import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { EXAMPLE, SETTINGS } from '../testing/example.js';
import { ConfigurationError, readConfiguration } from './read-configuration.js';

const problemsOf = (text: string, derived?: (service: string) => readonly string[]): readonly string[] => {
  try {
    readConfiguration(text, SETTINGS, derived);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
};
const changed = (from: string | RegExp, to: string) => EXAMPLE.replace(from, to);

describe('config.yaml', () => {
  it('needs seven lines, and has defaults for the rest', () => {
    expect(readConfiguration(EXAMPLE, SETTINGS)).toEqual({
      host: 'postern.example.com',
      apps: 'apps.example.com',
      mail: { domain: 'mail.example.com', send: 'direct' },
      acme: {
        email: 'ops@example.com',
        directory: 'https://acme-v02.api.letsencrypt.org/directory',
        trust: undefined,
      },
      operator: 'owner@example.com',
      backup: { to: '/var/backups/postern', every: 6, keep: 14, s3: undefined },
      retention: { messages: 90, bodies: 7, deliveries: 30, notices: 90 },
      check: {},
      databases: {},
      firewall: true,
      advanced: {},
    });
  });

  it.each([
    ['s3://backups', { bucket: 'backups', prefix: '' }],
    ['s3://backups/', { bucket: 'backups', prefix: '' }],
    ['s3://my.backups-1/a/b_c/', { bucket: 'my.backups-1', prefix: 'a/b_c' }],
  ])('keeps backups on this server and in the bucket %s', (to, bucket) =>
    expect(readConfiguration(`${EXAMPLE}backup: { to: "${to}" }`, SETTINGS).backup).toMatchObject({
      to: '/var/backups/postern',
      s3: { ...bucket, region: 'us-east-1' },
    }),
  );

  it.each([
    ['smtps://user@smtp.example.net', { protocol: 'smtps', user: 'user', host: 'smtp.example.net', port: 465 }],
    ['smtp://smtp.example.net', { protocol: 'smtp', user: '', host: 'smtp.example.net', port: 587 }],
    ['smtp://a%40b@smtp.example.net:2525', { protocol: 'smtp', user: 'a%40b', host: 'smtp.example.net', port: 2525 }],
  ])('sends over the relay %s', (url, relay) =>
    expect(readConfiguration(changed('direct', url), SETTINGS).mail.send).toEqual(relay),
  );

  it.each([
    ['an unknown setting', changed('host:', 'hots:'), /^hots: is not a setting; did you mean "host"\?$/],
    ['a misspelled setting in a block', changed('send:', 'sned:'), /^mail\.sned: .*did you mean "send"\?$/],
    [
      'a setting without a similar name',
      `${EXAMPLE}xyzzyx: 1`,
      /^xyzzyx: is not a setting; the settings here are host, /,
    ],
    ['a missing setting', changed(/^acme.*\n/m, ''), /^acme: is required, and must be an email address, or a block/],
    [
      'a URL as host',
      changed('postern.example.com', 'https://postern.example.com'),
      /^host: must be a full host name without a scheme/,
    ],
    ['an address as host', changed('postern.example.com', '192.0.2.1'), /^host: must be a full host name/],
    [
      'a number as host',
      changed('postern.example.com', '5'),
      /^host: must be a host name, such as postern\.example\.com$/,
    ],
    [
      'a list as mail',
      'host: a.example.com\nmail: [1]\nacme: a@example.com\noperator: a@example.com',
      /^mail: must be a block with domain and send$/,
    ],
    [
      'a password in the relay',
      changed('direct', 'smtps://u:p@smtp.example.net'),
      /^mail\.send: must not contain the password.*postern secret set relay-password/,
    ],
    ['a relay without a protocol', changed('direct', 'smtp.example.net'), /^mail\.send: must be "direct", or the URL/],
    ['a relay with an option', changed('direct', 'smtp://a.example.net?tls=none'), /^mail\.send: must be "direct"/],
    ['an address without a domain', changed('ops@example.com', 'ops'), /^acme: /],
    [
      'an ACME directory without TLS',
      changed('ops@example.com', '{ email: a@example.com, directory: "http://ca.example.com" }'),
      /^acme\.directory: must be an https URL/,
    ],
    [
      'an unknown setting of ACME',
      changed('ops@example.com', '{ email: a@example.com, directry: x }'),
      /^acme\.directry: .*did you mean "directory"/,
    ],
    [
      'a duration without a unit',
      `${EXAMPLE}backup: { every: 6 }`,
      /^backup\.every: must be a duration in hours or days, such as 1h$/,
    ],
    ['a duration that is too long', `${EXAMPLE}backup: { every: 8d }`, /^backup\.every: must be between 1h and 7d$/],
    [
      'half a day of retention',
      `${EXAMPLE}retention: { bodies: 36h }`,
      /^retention\.bodies: must be a number of whole days/,
    ],
    [
      'messages that are deleted before their reports arrive',
      `${EXAMPLE}retention: { messages: 35d }`,
      /^retention\.messages: must be between 36d and 3650d$/,
    ],
    [
      'a ping of another protocol',
      `${EXAMPLE}check: { ping: "ftp://a.example.com" }`,
      /^check\.ping: must be a URL, such/,
    ],
    [
      'a ping with a query',
      `${EXAMPLE}check: { ping: "https://a.example.com/?id=1" }`,
      /^check\.ping: must have no query/,
    ],
    ['a ping without a name', `${EXAMPLE}check: "https://a.example.com"`, /^check: must be a block with ping$/],
    ['a single backup', `${EXAMPLE}backup: { keep: 1 }`, /^backup\.keep: must be at least 2/],
    ['a relative folder', `${EXAMPLE}backup: { to: backups }`, /^backup\.to: must be an absolute path/],
    ['a folder above its own', `${EXAMPLE}backup: { to: /var/../etc }`, /^backup\.to: must not contain "\.\."$/],
    ['a bucket without a name', `${EXAMPLE}backup: { to: "s3://" }`, /^backup\.to: must be a bucket and optionally/],
    ['a bucket in capitals', `${EXAMPLE}backup: { to: "s3://Backups" }`, /^backup\.to: must be a bucket/],
    ['a prefix above the bucket', `${EXAMPLE}backup: { to: "s3://backups/../x" }`, /^backup\.to: must be a bucket/],
    ['a number as a folder', `${EXAMPLE}backup: { to: 1 }`, /^backup\.to: must be a folder, such as/],
    [
      'an S3 storage without a scheme',
      `${EXAMPLE}backup: { to: "s3://backups", endpoint: s3.example.com }`,
      /^backup\.endpoint: must be the URL of an S3 storage/,
    ],
    [
      'an S3 storage for a folder',
      `${EXAMPLE}backup: { endpoint: "https://s3.example.com" }`,
      /^backup\.endpoint: is for a bucket only/,
    ],
    [
      'a region with a space',
      `${EXAMPLE}backup: { to: "s3://backups", region: "eu central" }`,
      /^backup\.region: must be the name of a region/,
    ],
    [
      'an address for databases',
      `${EXAMPLE}databases: { external_host: 203.0.113.1 }`,
      /^databases\.external_host: must be a full host name/,
    ],
    ['a text as firewall', `${EXAMPLE}firewall: sometimes`, /^firewall: must be true or false$/],
    [
      'the gateway below the web services',
      changed('postern.example.com', 'postern.apps.example.com'),
      /^apps: must not contain postern\.apps/,
    ],
    [
      'mail below the web services',
      changed('mail.example.com', 'mail.apps.example.com'),
      /^mail\.domain: must not be below/,
    ],
    [
      'an unknown service',
      `${EXAMPLE}advanced: { email-sent: {} }`,
      /^advanced\.email-sent: .*did you mean "email-send"/,
    ],
    [
      'an unknown variable',
      `${EXAMPLE}advanced: { email-send: { POSTERN_LOG_LEVLE: debug } }`,
      /^advanced\.email-send\.POSTERN_LOG_LEVLE: .*did you mean "POSTERN_LOG_LEVEL"/,
    ],
    [
      'a wrong value of a variable',
      `${EXAMPLE}advanced: { email-send: { POSTERN_SANDBOX_DAILY_LIMIT: 0 } }`,
      /^advanced\.email-send\.POSTERN_SANDBOX_DAILY_LIMIT: /,
    ],
    [
      'a variable with two lines',
      `${EXAMPLE}advanced: { email-send: { POSTERN_COMPLAINT_SENDERS: "a\\nb" } }`,
      /must be one line$/,
    ],
    ['no YAML', 'host: [', /^The file is not valid YAML: /],
    ['a repeated setting', `${EXAMPLE}host: other.example.com`, /^The file is not valid YAML: /],
    ['a bomb of aliases', 'a: &a [1]\nb: [*a, *a]', /aliases/],
    ['a text', 'hello', /^config\.yaml: must be a block of settings/],
  ])('refuses %s, and says which setting, why, and what to write', (_what, text, reason) =>
    expect(problemsOf(text)).toContainEqual(expect.stringMatching(reason)),
  );

  it('reports all problems at once', () =>
    expect(problemsOf('hots: a')).toEqual([
      expect.stringMatching(/^host: is required/),
      expect.stringMatching(/^mail: is required/),
      expect.stringMatching(/^acme: is required/),
      expect.stringMatching(/^operator: is required/),
      expect.stringMatching(/^hots: /),
    ]));

  it('does not take what follows from the rest of the file', () =>
    expect(
      problemsOf(`${EXAMPLE}advanced: { email-send: { POSTERN_BOUNCE_DOMAIN: x } }`, () => ['POSTERN_BOUNCE_DOMAIN']),
    ).toEqual([expect.stringMatching(/POSTERN_BOUNCE_DOMAIN: follows from the rest/)]));

  it('that contains anything else is refused with problems that name a setting, or accepted, and never fails otherwise', () => {
    const names = [
      'host',
      'apps',
      'mail',
      'acme',
      'operator',
      'backup',
      'retention',
      'firewall',
      'advanced',
      'domain',
      'send',
    ];
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.constantFrom('direct', 'postern.example.com', 'a@example.com', '6h', '30d', '/var/x'),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 8 }), content => {
        for (const problem of problemsOf(stringify(content))) expect(problem).toMatch(/^(?:The file is|[^:]*.*: .+)/s);
      }),
    );
  });
});
