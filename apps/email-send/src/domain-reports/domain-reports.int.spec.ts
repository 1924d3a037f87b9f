import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type DomainReportOutcome,
  deleteEmailService,
  removeSendingDomain,
  verifySendingDomain,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { DeletedServiceData } from '../email-services/deleted-service-data.js';
import { Retention } from '../retention/retention.js';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import {
  DAY_MS,
  type DomainOwner,
  inDays,
  REPORTER,
  type Report,
  ReportedDomain,
  source,
} from '../testing/reported-domain.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);

let domain: string;
let reported: ReportedDomain;
let owner: DomainOwner;
let count = 0;
beforeEach(async () => {
  domain = `shop${++count}.example`;
  reported = new ReportedDomain(fixture, domain);
  owner = await reported.verified();
});

describe('a DMARC report', () => {
  it('is shown by source, with the alignment, the disposition and what to do', async () => {
    await expect(
      reported.record({
        sources: [
          source('198.51.100.7', { failed: 5, quarantined: 3, rejected: 1, dkim_domain: 'provider.example' }),
          source('192.0.2.10', { passed: 40, dkim_aligned: 40, spf_domain: 'bounce.test' }),
        ],
      }),
    ).resolves.toBe('stored');
    await reported.record({
      reporter: 'dmarc@yahoo.test',
      sources: [source('192.0.2.10', { passed: 2, dkim_aligned: 2 })],
    });

    const { dmarc } = await reported.reports(owner);
    expect(dmarc).toEqual({
      messages: 47,
      passed: 42,
      failed: 5,
      sources: [
        {
          source_ip: '198.51.100.7',
          messages: 5,
          passed: 0,
          failed: 5,
          dkim_aligned: 0,
          spf_aligned: 0,
          disposition: { none: 1, quarantine: 3, reject: 1 },
          dkim_domains: ['provider.example'],
          spf_domains: [],
          reporters: [REPORTER],
          advice: expect.stringMatching(/^This server sends as provider\.example, not as shop\d+\.example\./),
        },
        {
          source_ip: '192.0.2.10',
          messages: 42,
          passed: 42,
          failed: 0,
          dkim_aligned: 42,
          spf_aligned: 0,
          disposition: { none: 42, quarantine: 0, reject: 0 },
          dkim_domains: [],
          spf_domains: ['bounce.test'],
          reporters: ['dmarc@yahoo.test', REPORTER],
          advice: expect.stringContaining(`Publish the return path record of ${domain} (bounces.${domain}`),
        },
      ],
    });
  });

  it('is stored for every service that has verified the domain, and for no other', async () => {
    const another = await reported.verified();
    const pending = await reported.added();
    await expect(reported.record()).resolves.toBe('stored');

    await expect(reported.reports(owner)).resolves.toMatchObject({ reports: [{ reporter: REPORTER }] });
    await expect(reported.reports(another)).resolves.toMatchObject({ reports: [{ reporter: REPORTER }] });
    await expect(reported.reports(pending)).resolves.toMatchObject({
      reports: [],
      dmarc: { messages: 0, sources: [] },
    });
  });

  it.each<[string, DomainReportOutcome, () => Partial<Report>]>([
    ['a domain that nobody has added', 'unknown_domain', () => ({ domain: 'stranger.example' })],
    ['a subdomain of a verified domain', 'unknown_domain', () => ({ domain: `mail.${domain}` })],
    ['days that are over for a month', 'outdated_report', () => ({ ends_at: inDays(-31) })],
    ['days to come', 'outdated_report', () => ({ ends_at: inDays(2) })],
  ])('is not stored about %s', async (_, outcome, change) => {
    await expect(reported.record(change())).resolves.toBe(outcome);
    await expect(reported.reports(owner)).resolves.toMatchObject({ reports: [] });
  });

  it('counts once, however often it arrives', async () => {
    await expect(reported.record()).resolves.toBe('stored');
    await expect(reported.record({ sources: [source('192.0.2.1', { failed: 1_000 })] })).resolves.toBe(
      'repeated_report',
    );
    await expect(reported.reports(owner)).resolves.toMatchObject({ dmarc: { messages: 1 }, reports: [{}] });
  });

  it('is not stored while the DKIM record is missing, because the domain can have a new owner', async () => {
    await reported.loseRecord(owner, 'dkim');
    await expect(reported.record()).resolves.toBe('unknown_domain');
  });

  it('is stored while other records of the domain are missing', async () => {
    await reported.loseRecord(owner, 'spf');
    await expect(reported.record()).resolves.toBe('stored');
  });

  it('is deleted with the domain', async () => {
    await reported.record();
    await call(removeSendingDomain, owner);
    await expect(reported.stored(owner)).resolves.toBe(0);
  });

  it('is deleted with the email service', async () => {
    await reported.record();
    await call(deleteEmailService, { workspace_id: owner.workspace_id, service_id: owner.service_id });
    await expect(reported.record({ report_id: 'late' })).resolves.toBe('unknown_domain');
    await fixture.pool.query('UPDATE event_store.deleted_owners SET due_at = now() WHERE due_at IS NOT NULL');
    await fixture.replicas[0].app.get(DeletedServiceData, { strict: false }).run(new AbortController());
    await expect(reported.stored(owner)).resolves.toBe(0);
  });

  it('is deleted 30 days after its reporting period', async () => {
    await reported.record({ report_id: 'old', ends_at: inDays(-29) });
    await reported.record({ report_id: 'new' });
    await fixture.replicas[0].app.get(Retention).purgeReports({ now: new Date(Date.now() + 2 * DAY_MS) });
    await expect(reported.stored(owner)).resolves.toBe(1);
  });
});

describe('the number of reports', () => {
  it('is bounded for each reporter: all names below one domain are one reporter', async () => {
    const outcomes = [];
    for (let n = 0; n < 21; n++) {
      outcomes.push(await reported.record({ report_id: `r${n}`, reporter: `me@host${n}.evil.test` }));
    }
    expect(outcomes).toEqual([...Array(20).fill('stored'), 'report_limit_reached']);
    await expect(reported.record()).resolves.toBe('stored');
  });

  it('is bounded for each domain', async () => {
    await reported.fill(200, owner.domain_id);
    await expect(reported.record()).resolves.toBe('report_limit_reached');
  });

  it('is bounded in total', async () => {
    const { domain_id } = owner;
    await reported.fill(50_000, uuidv7());
    await expect(reported.record()).resolves.toBe('report_limit_reached');
    await fixture.pool.query('DELETE FROM domain_checks WHERE domain_id <> $1', [domain_id]);
    await expect(reported.record()).resolves.toBe('stored');
  });

  it('stays within its bound when reports arrive at both replicas at once', async () => {
    await reported.fill(199, owner.domain_id);
    const outcomes = await Promise.all(Array.from({ length: 10 }, (_, n) => reported.record({ report_id: `r${n}` })));
    expect(outcomes.filter(outcome => outcome === 'stored')).toHaveLength(1);
  });

  it('does not slow down reads: sources are those of the newest 1,000 reports', async () => {
    const sources = Array.from({ length: 50 }, (_, n) => source(`10.0.0.${n}`, { failed: 1_000_000_000 }));
    await reported.fill(6_000, owner.domain_id, sources);
    const { dmarc, reports: newest } = await reported.reports(owner);
    expect(dmarc.sources).toHaveLength(50);
    expect(dmarc.sources[0]).toMatchObject({ failed: 1_000_000_000_000 });
    expect(dmarc.failed).toBe(6_000_000_000_000);
    expect(newest).toHaveLength(50);
  });
});

describe('a TLS report', () => {
  it('is shown by failure, with what to do', async () => {
    const failures = [{ result_type: 'certificate-expired', mail_server: `mx.${domain}`, sessions: 303 }];
    await reported.record({ kind: 'tls', passed: 5_326, failed: 303, failures });
    await expect(reported.reports(owner)).resolves.toMatchObject({
      tls: {
        sessions: 5_629,
        passed: 5_326,
        failed: 303,
        failures: [{ ...failures[0], reporters: [REPORTER], advice: expect.stringContaining('Renew it') }],
      },
    });
  });
});

describe('the records that request reports', () => {
  it('are the DMARC record of the domain and its TLS reporting record', async () => {
    const { records } = await reported.reports(owner);
    expect(records).toEqual([
      {
        purpose: 'dmarc',
        type: 'TXT',
        name: `_dmarc.${domain}`,
        value: 'v=DMARC1; p=none; rua=mailto:reports@bounce.test',
        ok: true,
      },
      {
        purpose: 'tls',
        type: 'TXT',
        name: `_smtp._tls.${domain}`,
        value: 'v=TLSRPTv1; rua=mailto:reports@bounce.test',
        ok: null,
      },
    ]);
  });

  it('keep the published policy of the domain', async () => {
    fixture.dns.setRecords(`_dmarc.${domain}`, 'TXT', ['v=DMARC1; p=reject; rua=mailto:d@other.example; pct=50']);
    await call(verifySendingDomain, owner);
    const { records } = await reported.reports(owner);
    expect(records[0]).toMatchObject({
      value: 'v=DMARC1; p=reject; rua=mailto:d@other.example,mailto:reports@bounce.test; pct=50',
      ok: false,
    });
  });
});

describe('reports', () => {
  it('are not shown to another service or workspace', async () => {
    await reported.record();
    const { service_id, workspace_id } = await reported.service();
    const refused = (request: DomainOwner) => expect(reported.reports(request)).rejects;
    await refused({ ...owner, service_id, workspace_id }).toMatchObject({ code: 'domain_not_found' });
    await refused({ ...owner, workspace_id }).toMatchObject({ code: 'service_not_found' });
    await refused({ ...owner, domain_id: uuidv7() }).toMatchObject({ code: 'domain_not_found' });
  });
});
