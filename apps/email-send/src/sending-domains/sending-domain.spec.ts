import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { dkimRecordName, type RecordState } from './domain-records.js';
import { type SendingDomainEvent, sendingDomain } from './sending-domain.js';

const AT = '2026-03-01T10:00:00.000Z';
const given = specificationOf(sendingDomain);

const K1 = { key_id: 'k1', selector: 'p1', record: 'v=DKIM1; k=rsa; p=AAAA' };
const K2 = { key_id: 'k2', selector: 'p2', record: 'v=DKIM1; k=rsa; p=BBBB' };
const ofDomain = { service_id: 's1', domain_id: 'd1', at: AT };

const record = (purpose: RecordState['purpose'], name: string, ok: boolean): RecordState => ({
  purpose,
  name,
  found: ok ? ['right'] : [],
  ok,
  problem: ok ? null : `${name} is not right`,
});
const spf = (ok = true) => record('spf', 'example.com', ok);
const dkim = (key: { selector: string }, ok = true) => record('dkim', dkimRecordName(key.selector, 'example.com'), ok);
const dmarc = (ok = true) => record('dmarc', '_dmarc.example.com', ok);
const silent = (state: RecordState): RecordState => ({
  ...state,
  found: null,
  ok: false,
  problem: 'could not look up',
});

const add = { kind: 'add', serviceId: 's1', domainId: 'd1', domain: 'example.com', dkim: K1, at: AT } as const;
const check = (...records: RecordState[]) => ({ kind: 'record-check', records, at: AT }) as const;
const rotate = { kind: 'rotate', dkim: K2, at: AT } as const;

const added: SendingDomainEvent = {
  type: 'email-send.sending-domain-added.v1',
  data: { ...ofDomain, domain: 'example.com', dkim: K1 },
};
const removed = {
  type: 'email-send.sending-domain-removed.v1',
  data: { ...ofDomain, domain: 'example.com', key_ids: ['k1'] },
} as const satisfies SendingDomainEvent;
const seen = (...records: RecordState[]): SendingDomainEvent => ({
  type: 'email-send.sending-domain-records-seen.v1',
  data: { ...ofDomain, records },
});
const verified: SendingDomainEvent = {
  type: 'email-send.sending-domain-verified.v1',
  data: { ...ofDomain, domain: 'example.com' },
};
const lost: SendingDomainEvent = {
  type: 'email-send.sending-domain-records-lost.v1',
  data: { ...ofDomain, domain: 'example.com', problems: ['example.com is not right'] },
};
const verifiedDomain = [added, seen(spf(), dkim(K1), dmarc()), verified];
const started: SendingDomainEvent = {
  type: 'email-send.dkim-rotation-started.v1',
  data: { ...ofDomain, dkim: K2 },
};
const rotated: SendingDomainEvent = {
  type: 'email-send.dkim-key-rotated.v1',
  data: { ...ofDomain, key_id: 'k2', retired_key_id: 'k1' },
};

foldsEveryFixture(join(import.meta.dirname, 'fixtures'), sendingDomain);

describe('a sending domain', () => {
  it('is added once to a service', () => {
    given().when(add).yields(added);
    given(added).when(add).refuses('domain_exists', 'example.com is already a domain of this email service');
    given(added, removed).when(add).yields(added);
  });

  it('is verified when all three records are right', () =>
    given(added)
      .when(check(spf(), dkim(K1), dmarc()))
      .yields(seen(spf(), dkim(K1), dmarc()), verified));

  it.each([
    ['SPF', [spf(false), dkim(K1), dmarc()]],
    ['DKIM', [spf(), dkim(K1, false), dmarc()]],
    ['DMARC', [spf(), dkim(K1), dmarc(false)]],
  ])('is not verified without %s', (_, records) =>
    given(added)
      .when(check(...records))
      .yields(seen(...records)),
  );

  it('produces no event when a check finds no change', () =>
    given(added, seen(spf(false), dkim(K1), dmarc()))
      .when(check(spf(false), dkim(K1), dmarc()))
      .yields());

  it('whose records are lost is flagged once, with the problems', () => {
    given(...verifiedDomain)
      .when(check(spf(false), dkim(K1), dmarc()))
      .yields(seen(spf(false), dkim(K1), dmarc()), lost);
    given(...verifiedDomain, seen(spf(false), dkim(K1), dmarc()), lost)
      .when(check(spf(false), dkim(K1), dmarc()))
      .yields();
  });

  it('whose records return is verified again', () =>
    given(...verifiedDomain, seen(spf(false), dkim(K1), dmarc()), lost)
      .when(check(spf(), dkim(K1), dmarc()))
      .yields(seen(spf(), dkim(K1), dmarc()), {
        type: 'email-send.sending-domain-records-restored.v1',
        data: { ...ofDomain, domain: 'example.com' },
      }));

  it('keeps its status when the DNS does not respond', () =>
    given(...verifiedDomain)
      .when(check(silent(spf()), silent(dkim(K1)), silent(dmarc())))
      .yields());

  it('keeps the policy of its organizational domain while no server answers', () => {
    const inherited = { ...dmarc(), name: '_dmarc.parent.example' };
    given(added, seen(spf(), dkim(K1), inherited), verified)
      .when(check(spf(), dkim(K1), silent(dmarc())))
      .yields();
  });

  it('is not verified without an answer from the DNS either, and reports the missing answer', () => {
    const silence = [silent(spf()), dkim(K1), dmarc()];
    given(added)
      .when(check(...silence))
      .yields(seen(...silence));
  });

  it('mails its owner once about each loss', () => {
    const notified: SendingDomainEvent = { type: 'email-send.sending-domain-owner-told.v1', data: ofDomain };
    const note = { kind: 'note-owner-notified', about: 'records', at: AT } as const;
    given(...verifiedDomain, lost)
      .when(note)
      .yields(notified);
    given(...verifiedDomain, lost, notified)
      .when(note)
      .yields();
    given(...verifiedDomain)
      .when(note)
      .yields();
  });
});

describe('the rotation of a DKIM key', () => {
  const rotating = [...verifiedDomain, started];

  it('begins with a second selector, one at a time', () => {
    given(...verifiedDomain)
      .when(rotate)
      .yields(started);
    given(...rotating)
      .when(rotate)
      .refuses('rotation_under_way', 'p2._domainkey.example.com');
  });

  it('leaves the old key signing, and the domain verified, until the new record is found', () =>
    given(...rotating)
      .when(check(spf(), dkim(K1), dkim(K2, false), dmarc()))
      .yields(seen(spf(), dkim(K1), dkim(K2, false), dmarc())));

  it('ends when the new record is found, and no longer needs the old one', () => {
    const records = [spf(), dkim(K1, false), dkim(K2), dmarc()];
    given(...rotating)
      .when(check(...records))
      .yields(seen(...records), rotated);
    given(...rotating, seen(...records), rotated)
      .when(check(spf(), dkim(K2), dmarc()))
      .yields(seen(spf(), dkim(K2), dmarc()));
  });

  it('ignores lookups that were made before it began or ended', () => {
    given(...rotating)
      .when(check(spf(), dkim(K1), dmarc()))
      .yields();
    given(...rotating, rotated)
      .when(check(spf(), dkim(K1), dmarc()))
      .yields();
  });

  it('deletes both keys with the domain', () =>
    given(...rotating)
      .when({ kind: 'remove', at: AT })
      .yields({ ...removed, data: { ...removed.data, key_ids: ['k1', 'k2'] } } as SendingDomainEvent));
});
