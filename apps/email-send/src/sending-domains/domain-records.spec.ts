import { describe, expect, it } from '@jest/globals';
import { checkDkim, checkDmarc, spfValue, type TxtAnswer } from './domain-records.js';
import { checkSpf } from './spf-record.js';

const HOST = 'spf.postern.example';
const found = (...texts: string[]): TxtAnswer => ({ kind: 'found', texts });
const silent: TxtAnswer = { kind: 'unavailable', reason: 'SERVFAIL' };

const spf = (records: Record<string, TxtAnswer>) =>
  checkSpf('example.com', HOST, async name => records[name] ?? { kind: 'absent' });

describe('the SPF record', () => {
  it.each([
    ['the value that is shown', spfValue(HOST)],
    ['among other mechanisms', `v=spf1 ip4:192.0.2.1 a mx include:_spf.other.example include:${HOST} -all`],
    ['in any case, with a root dot', 'V=SPF1 INCLUDE:SPF.Postern.Example. ~ALL'],
    ['with an explicit +', `v=spf1 +include:${HOST} -all`],
    ['with several spaces', `v=spf1  include:${HOST}   -all`],
  ])('is right as %s', async (_, text) =>
    expect(await spf({ 'example.com': found('google-site-verification=abc', text) })).toEqual({
      purpose: 'spf',
      name: 'example.com',
      found: [text],
      ok: true,
      problem: null,
    }),
  );

  it('is right if a redirect leads to the host', async () => {
    const records = {
      'example.com': found('v=spf1 redirect=_spf.example.com'),
      '_spf.example.com': found(`v=spf1 include:${HOST} -all`),
    };
    expect((await spf(records)).ok).toBe(true);
    expect((await spf({ 'example.com': found(`v=spf1 redirect=${HOST}`) })).ok).toBe(true);
  });

  it('is right if one of its includes leads to the host', async () =>
    expect(
      (
        await spf({
          'example.com': found('v=spf1 include:_all.example.com -all'),
          '_all.example.com': found(`v=spf1 include:${HOST} ~all`),
        })
      ).ok,
    ).toBe(true));

  it.each([
    ['no TXT record', undefined, 'example.com has no TXT record that starts with v=spf1'],
    ['no SPF among the TXT records', found('v=spf10 x'), 'example.com has no TXT record that starts with v=spf1'],
    [
      'two SPF records',
      found(spfValue(HOST), 'v=spf1 -all'),
      'example.com has 2 SPF records; merge them into one, or every SPF check fails',
    ],
    [
      'another include',
      found('v=spf1 include:spf.postern.example.evil.test -all'),
      `the SPF record does not contain include:${HOST} before its "all"`,
    ],
    [
      'the include behind all',
      found(`v=spf1 -all include:${HOST}`),
      `the SPF record does not contain include:${HOST} before its "all"`,
    ],
    [
      'a redirect that all keeps from being followed',
      found(`v=spf1 -all redirect=${HOST}`),
      `the SPF record does not contain include:${HOST} before its "all"`,
    ],
    [
      'an include that fails instead of passing',
      found(`v=spf1 -include:${HOST} ~all`),
      `include:${HOST} must have no ~, - or ? in front and come before any "all"`,
    ],
  ])('is wrong with %s', async (_, answer, problem) =>
    expect(await spf(answer ? { 'example.com': answer } : {})).toMatchObject({ ok: false, problem }),
  );

  it.each([
    [
      'eleven includes before it',
      Array.from({ length: 11 }, (_, n) => `include:i${n}.example`).join(' '),
      /needs 12 DNS lookups/,
    ],
    ['mechanisms that need lookups', `${'a mx '.repeat(5)}exists:%{i}.x.example`, /needs 12 DNS lookups/],
    ['a term that is not SPF', 'ipv4:192.0.2.1', /cannot read "ipv4:192.0.2.1" in the SPF record of example.com/],
    ['an address that is none', 'ip4:192.0.2.x', /cannot read "ip4:192.0.2.x"/],
  ])('is right with a warning if receivers answer permerror: %s', async (_, before, problem) =>
    expect(await spf({ 'example.com': found(`v=spf1 ${before} include:${HOST} -all`) })).toMatchObject({
      ok: true,
      problem: expect.stringMatching(problem),
    }),
  );

  it('counts the lookups of its includes', async () => {
    const records = {
      'example.com': found(`v=spf1 include:a.example include:${HOST} -all`),
      'a.example': found(`v=spf1 ${'mx '.repeat(9)}-all`),
    };
    expect(await spf(records)).toMatchObject({ ok: true, problem: expect.stringContaining('needs 11 DNS lookups') });
  });

  describe('with a list of addresses instead of an include', () => {
    const host = (text: string) => ({ [HOST]: found(`v=spf1 ${text} -all`) });
    it.each([
      ['each of them', 'ip4:192.0.2.1 ip6:2001:db8::1', 'ip4:192.0.2.1 ip6:2001:db8::1'],
      ['the networks around them', 'ip4:192.0.2.0/24 ip6:2001:db8::/32', 'ip4:192.0.2.128/25 ip6:2001:db8:1::/48'],
    ])('is right if it covers those of the platform: %s', async (_, listed, own) =>
      expect((await spf({ 'example.com': found(`v=spf1 ${listed} ~all`), ...host(own) })).ok).toBe(true),
    );
    it.each([
      ['misses one', 'ip4:192.0.2.1', 'ip4:192.0.2.1 ip4:192.0.2.2'],
      ['covers half of a network', 'ip4:192.0.2.0/25', 'ip4:192.0.2.0/24'],
      ['cannot cover names', 'ip4:192.0.2.1', 'ip4:192.0.2.1 a:mail.example'],
    ])('is wrong if it %s', async (_, listed, own) =>
      expect((await spf({ 'example.com': found(`v=spf1 ${listed} ~all`), ...host(own) })).ok).toBe(false),
    );
  });

  it('is unknown when no server answers for it or for its includes', async () => {
    expect(await spf({ 'example.com': silent })).toMatchObject({
      found: null,
      ok: false,
      problem: 'could not look up example.com: SERVFAIL',
    });
    expect(await spf({ 'example.com': found('v=spf1 include:a.example -all'), 'a.example': silent })).toMatchObject({
      found: null,
      problem: 'could not look up a.example: SERVFAIL',
    });
  });

  it('is read with at most ten further lookups, even if includes form a cycle', async () => {
    let lookups = 0;
    const state = await checkSpf('example.com', HOST, async name => {
      lookups++;
      return found(`v=spf1 include:example.com include:x${lookups}.${name} -all`);
    });
    expect(state.ok).toBe(false);
    expect(lookups).toBe(11);
  });
});

describe('the DKIM record', () => {
  const NAME = 'p1._domainkey.example.com';
  const EXPECTED = 'v=DKIM1; k=rsa; p=MIIBIjAN+abc/def==';
  const check = (...texts: string[]) => checkDkim(NAME, EXPECTED, found(...texts));

  it.each([
    ['as shown', EXPECTED],
    ['with only the key', 'p=MIIBIjAN+abc/def=='],
    ['with white space in the key', 'v=DKIM1;k=rsa;p=MIIBIjAN +abc/ def== ;'],
    ['with flags, hashes and services', 'v=DKIM1; h=sha1:sha256; s=email; t=y:s; p=MIIBIjAN+abc/def=='],
  ])('is right %s', (_, text) => expect(check(text)).toMatchObject({ ok: true, problem: null }));

  it.each([
    ['nothing', [], `${NAME} has no DKIM record`],
    ['two keys', [EXPECTED, 'p=other'], `${NAME} has 2 DKIM records; only one is allowed`],
    ['another key', ['v=DKIM1; p=AAAA'], `${NAME} has another public key`],
    ['a key cut off', ['v=DKIM1; p=MIIBIjAN'], `${NAME} has only the first 8 of 18 characters of the key`],
    ['a revoked key', ['v=DKIM1; p='], `${NAME} has an empty p=, which revokes the key`],
    ['an ed25519 key', ['v=DKIM1; k=ed25519; p=AAAA'], `${NAME} has k=ed25519; it must be k=rsa`],
    ['SHA-1 only', [`h=sha1; ${EXPECTED}`], `${NAME} does not allow h=sha256`],
  ])('is wrong with %s', (_, texts, problem) =>
    expect(check(...texts)).toEqual({ purpose: 'dkim', name: NAME, found: texts, ok: false, problem }),
  );

  it('is wrong, without the value found, when it leads outside the public DNS', () =>
    expect(checkDkim(NAME, EXPECTED, { kind: 'refused' })).toMatchObject({
      found: [],
      ok: false,
      problem: expect.stringContaining(`publish the record at ${NAME} itself`),
    }));

  it('is unknown when no server answers', () =>
    expect(checkDkim(NAME, EXPECTED, silent)).toMatchObject({ found: null, ok: false }));
});

describe('the DMARC record', () => {
  const NAME = '_dmarc.example.com';
  const dmarc = (records: Record<string, TxtAnswer>, domain = 'example.com') =>
    checkDmarc(domain, 'example.com', async name => records[name] ?? { kind: 'absent' });
  const check = (...texts: string[]) => dmarc({ [NAME]: found(...texts) });

  it.each([
    'v=DMARC1; p=none',
    'v=DMARC1;p=quarantine;rua=mailto:d@example.com',
    ' v = DMARC1 ; sp=none; p = Reject ;',
    'v=DMARC1; rua=mailto:a@b.c',
    'v=DMARC1; p=block; rua=mailto:a@b.c!10m',
  ])('is right as %p', async text => expect((await check(text)).ok).toBe(true));

  it.each([
    ['nothing', [], `${NAME} has no TXT record that starts with v=DMARC1`],
    ['another version', ['v=DMARC2; p=none'], `${NAME} has no TXT record that starts with v=DMARC1`],
    ['two of them', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], `${NAME} has 2 DMARC records; only one is allowed`],
    ['no policy', ['v=DMARC1; sp=none'], `${NAME} has no policy; add p=none, p=quarantine or p=reject`],
    ['an unknown policy', ['v=DMARC1; p=block'], `${NAME} has p=block; it must be none, quarantine or reject`],
    [
      'no valid address for reports',
      ['v=DMARC1; rua=x'],
      `${NAME} has no policy; add p=none, p=quarantine or p=reject`,
    ],
  ])('is wrong with %s', async (_, texts, problem) =>
    expect(await check(...texts)).toMatchObject({ ok: false, problem }),
  );

  it('of the organizational domain applies to a subdomain without one', async () => {
    const policy = 'v=DMARC1; p=reject';
    expect(await dmarc({ [NAME]: found(policy) }, 'mail.example.com')).toEqual({
      purpose: 'dmarc',
      name: NAME,
      found: [policy],
      ok: true,
      problem: null,
    });
  });

  it('of the subdomain replaces that of the organizational domain', async () => {
    const records = { [NAME]: found('v=DMARC1; p=reject'), '_dmarc.mail.example.com': found('v=DMARC1; p=block') };
    expect(await dmarc(records, 'mail.example.com')).toMatchObject({ name: '_dmarc.mail.example.com', ok: false });
  });

  it('is missing at the name of the subdomain if neither has one', async () =>
    expect(await dmarc({ [NAME]: found('unrelated') }, 'mail.example.com')).toMatchObject({
      name: '_dmarc.mail.example.com',
      ok: false,
    }));

  it('is unknown when no server answers for the organizational domain', async () =>
    expect(await dmarc({ [NAME]: silent }, 'mail.example.com')).toMatchObject({
      found: null,
      problem: `could not look up ${NAME}: SERVFAIL`,
    }));
});
