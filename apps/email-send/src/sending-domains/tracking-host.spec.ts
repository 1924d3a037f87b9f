import { describe, expect, it } from '@jest/globals';
import { specificationOf } from '@postern/event-sourcing/testing';
import type { HostAnswer, RecordState } from './domain-records.js';
import { nextCheckAfterS, type SendingDomainEvent, sendingDomain } from './sending-domain.js';
import { checkTrackingHost } from './tracking-host.js';

const AT = '2026-03-01T10:00:00.000Z';
const HOST = 'click.example.com';
const TARGET = 'mail.postern.test';
const given = specificationOf(sendingDomain);
const ofDomain = { service_id: 's1', domain_id: 'd1', at: AT };
const DKIM = { key_id: 'k1', selector: 'p1', record: 'v=DKIM1; k=rsa; p=AAAA' };

const record = (purpose: RecordState['purpose'], name: string, ok = true): RecordState => ({
  purpose,
  name,
  found: [],
  ok,
  problem: ok ? null : `${name} is not right`,
});
const required = [
  record('spf', 'example.com'),
  record('dkim', 'p1._domainkey.example.com'),
  record('dmarc', '_dmarc.example.com'),
];
const tracking = (ok: boolean, host = HOST) => record('tracking', host, ok);
const check = (...records: RecordState[]) => ({ kind: 'record-check', records, at: AT }) as const;
const seen = (...records: RecordState[]): SendingDomainEvent => ({
  type: 'email-send.sending-domain-records-seen.v1',
  data: { ...ofDomain, records },
});
const setTo = (host: string | null) => ({ kind: 'set-tracking-host', host, at: AT }) as const;
const wasSet = (host: string | null): SendingDomainEvent => ({
  type: 'email-send.tracking-host-set.v1',
  data: { ...ofDomain, host },
});
const verified: SendingDomainEvent = {
  type: 'email-send.tracking-host-verified.v1',
  data: { ...ofDomain, host: HOST },
};
const lost: SendingDomainEvent = {
  type: 'email-send.tracking-host-lost.v1',
  data: { ...ofDomain, host: HOST, problem: `${HOST} is not right` },
};
const domain: SendingDomainEvent[] = [
  { type: 'email-send.sending-domain-added.v1', data: { ...ofDomain, domain: 'example.com', dkim: DKIM } },
  seen(...required),
  { type: 'email-send.sending-domain-verified.v1', data: { ...ofDomain, domain: 'example.com' } },
];
const tracked = [...domain, wasSet(HOST), seen(...required, tracking(true)), verified];

describe('the tracking host of a sending domain', () => {
  it.each([HOST, 'a.b.example.com', 'example.com'])('can be %s, the domain or a name below it', host =>
    given(...domain)
      .when(setTo(host))
      .yields(wasSet(host)),
  );

  it.each(['click.example.net', 'example.com.evil.test', 'notexample.com', 'com'])('cannot be %s', host =>
    given(...domain)
      .when(setTo(host))
      .refuses('invalid_input', 'host: must be example.com or a name below it, such as click.example.com'),
  );

  it('does not exist for a domain that does not', () =>
    given().when(setTo(HOST)).refuses('domain_not_found', 'domain'));

  it('changes only if it is another one, and then has to be verified again', () => {
    given(...tracked)
      .when(setTo(HOST))
      .yields();
    given(...tracked)
      .when(setTo('t.example.com'))
      .yields(wasSet('t.example.com'));
    given(...tracked, wasSet('t.example.com'))
      .when(check(...required, tracking(true)))
      .yields();
    given(...tracked)
      .when(setTo(null))
      .yields(wasSet(null));
    given(...domain)
      .when(setTo(null))
      .yields();
  });

  it('is verified when its record is found, and is no condition for the domain', () => {
    given(...domain, wasSet(HOST))
      .when(check(...required, tracking(true)))
      .yields(seen(...required, tracking(true)), verified);
    given(...domain, wasSet(HOST))
      .when(check(...required, tracking(false)))
      .yields(seen(...required, tracking(false)));
  });

  it('is lost when its record is, without a change of the status of the domain, and verified when it returns', () => {
    given(...tracked)
      .when(check(...required, tracking(false)))
      .yields(seen(...required, tracking(false)), lost);
    given(...tracked, seen(...required, tracking(false)), lost)
      .when(check(...required, tracking(true)))
      .yields(seen(...required, tracking(true)), verified);
  });

  it('is kept while the DNS does not respond', () =>
    given(...tracked)
      .when(check(...required, { ...tracking(false), found: null }))
      .yields());

  it('that is the domain itself has a record beside the SPF record of the same name', () => {
    const spfLost = [record('spf', 'example.com', false), ...required.slice(1)];
    given(...domain, wasSet('example.com'), seen(...required, tracking(true, 'example.com')), {
      ...verified,
      data: { ...verified.data, host: 'example.com' },
    } as SendingDomainEvent)
      .when(check({ ...spfLost[0]!, found: null }, ...spfLost.slice(1), tracking(true, 'example.com')))
      .yields();
  });

  it('is mailed about once after each loss', () => {
    const noted: SendingDomainEvent = { type: 'email-send.tracking-host-owner-told.v1', data: ofDomain };
    const note = { kind: 'note-owner-notified', about: 'tracking-host', at: AT } as const;
    given(...tracked)
      .when(note)
      .yields();
    given(...tracked, lost)
      .when(note)
      .yields(noted);
    given(...tracked, lost, noted)
      .when(note)
      .yields();
    given(...tracked, lost, noted, verified, lost)
      .when(note)
      .yields(noted);
  });

  it('is checked every few minutes until its record is found', () => {
    const after = (...events: SendingDomainEvent[]) =>
      nextCheckAfterS(events.reduce(sendingDomain.evolve, sendingDomain.initial));
    expect([after(...domain), after(...domain, wasSet(HOST)), after(...tracked), after(...tracked, lost)]).toEqual([
      86_400, 300, 86_400, 300,
    ]);
  });
});

describe('the record of a tracking host', () => {
  const checked = (answers: Readonly<Record<string, HostAnswer>>) =>
    checkTrackingHost(HOST, TARGET, async name => answers[name] ?? { kind: 'absent' });
  const found = (aliases: string[], addresses: string[] = []): HostAnswer => ({ kind: 'found', aliases, addresses });

  it.each<[string, Record<string, HostAnswer>]>([
    ['an alias of the host of the installation', { [HOST]: found([TARGET]) }],
    ['an alias in other letters, with the root dot', { [HOST]: found(['Mail.Postern.test.'], ['192.0.2.1']) }],
    ['an alias of an alias', { [HOST]: found(['edge.example.com', TARGET], ['192.0.2.1']) }],
    [
      'a name with addresses of the installation',
      { [HOST]: found([], ['192.0.2.1']), [TARGET]: found([], ['192.0.2.2', '192.0.2.1']) },
    ],
  ])('is right for %s', async (_, answers) =>
    expect(await checked(answers)).toMatchObject({ ok: true, problem: null }),
  );

  it.each<[string, Record<string, HostAnswer>, string]>([
    ['no record', {}, `${HOST} has no CNAME record`],
    ['another alias', { [HOST]: found(['x.test']) }, `${HOST} is an alias of x.test; it must be ${TARGET}`],
    [
      'another address beside ours',
      { [HOST]: found([], ['192.0.2.1', '192.0.2.9']), [TARGET]: found([], ['192.0.2.1']) },
      `${HOST} leads to 192.0.2.1, 192.0.2.9; it must be ${TARGET}`,
    ],
    [
      'an installation without addresses',
      { [HOST]: found([], ['192.0.2.1']) },
      `${HOST} leads to 192.0.2.1; it must be`,
    ],
    ['a name outside the public DNS', { [HOST]: { kind: 'refused' } }, 'an alias of a name outside the public DNS'],
  ])('is wrong with %s', async (_, answers, problem) => {
    expect(await checked(answers)).toMatchObject({
      ok: false,
      found: expect.any(Array),
      problem: expect.stringContaining(problem),
    });
  });

  it.each<[string, Record<string, HostAnswer>]>([
    ['the host', { [HOST]: { kind: 'unavailable', reason: 'SERVFAIL' } }],
    ['the installation', { [HOST]: found([], ['192.0.2.1']), [TARGET]: { kind: 'unavailable', reason: 'SERVFAIL' } }],
  ])('is unknown while no server answers about %s', async (_, answers) =>
    expect(await checked(answers)).toMatchObject({ ok: false, found: null }),
  );
});
