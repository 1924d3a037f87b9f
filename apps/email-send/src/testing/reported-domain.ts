import {
  addSendingDomain,
  createEmailService,
  type DomainReportOutcome,
  getDomainReports,
  type ReplyOf,
  type RequestInput,
  recordDomainReport,
  verifySendingDomain,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { AdministrationFixture } from './administration-fixture.js';

export type Report = RequestInput<typeof recordDomainReport>;
export type Source = Report['sources'][number];

/** A domain of a service of a workspace. */
export interface DomainOwner {
  readonly workspace_id: string;
  readonly service_id: string;
  readonly domain_id: string;
}

export const DAY_MS = 86_400_000;
/** The default sender of a report. */
export const REPORTER = 'noreply-dmarc-support@google.test';

/** The time so many days from now. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** A source without messages, changed. */
export const source = (source_ip: string, change: Partial<Source>): Source => ({
  source_ip,
  passed: 0,
  failed: 0,
  dkim_aligned: 0,
  spf_aligned: 0,
  quarantined: 0,
  rejected: 0,
  ...change,
});

/** Reports about one domain. */
export class ReportedDomain {
  constructor(
    private readonly fixture: AdministrationFixture,
    readonly domain: string,
  ) {}

  async service(): Promise<Omit<DomainOwner, 'domain_id'>> {
    const workspace_id = uuidv7();
    const request = { workspace_id, name: 'App' };
    const { id } = await this.fixture.client.request(createEmailService, request);
    return { workspace_id, service_id: id };
  }

  async added(): Promise<DomainOwner & Pick<ReplyOf<typeof addSendingDomain>, 'records'>> {
    const ofService = await this.service();
    const { id, records } = await this.fixture.client.request(addSendingDomain, { ...ofService, domain: this.domain });
    return { ...ofService, domain_id: id, records };
  }

  async verified(): Promise<DomainOwner> {
    const { records, ...added } = await this.added();
    for (const { name, value } of records) this.fixture.dns.setRecords(name, 'TXT', [value]);
    await this.#checked(added, 'verified');
    return added;
  }

  async loseRecord(owner: DomainOwner, purpose: 'spf' | 'dkim'): Promise<void> {
    const { records } = await this.fixture.client.request(verifySendingDomain, owner);
    this.fixture.dns.setRecords(records.find(each => each.purpose === purpose)!.name, 'TXT', []);
    await this.#checked(owner, 'records_lost');
  }

  async #checked(owner: DomainOwner, expected: string): Promise<void> {
    const { status } = await this.fixture.client.request(verifySendingDomain, owner);
    if (status !== expected) throw new Error(`the domain is ${status}, not ${expected}`);
  }

  async record(change: Partial<Report> = {}): Promise<DomainReportOutcome> {
    const { sources = [source('192.0.2.1', { failed: 1 })], kind = 'dmarc' } = change;
    const sum = (name: 'passed' | 'failed') => sources.reduce((total, each) => total + each[name], 0);
    const { outcome } = await this.fixture.client.request(recordDomainReport, {
      kind,
      domain: this.domain,
      reporter: REPORTER,
      report_id: 'report-1',
      begins_at: inDays(-60),
      ends_at: inDays(-1),
      passed: sum('passed'),
      failed: sum('failed'),
      failures: [],
      ...change,
      sources: kind === 'dmarc' ? sources : [],
    });
    return outcome;
  }

  reports({ workspace_id, service_id, domain_id }: DomainOwner): Promise<ReplyOf<typeof getDomainReports>> {
    return this.fixture.client.request(getDomainReports, { workspace_id, service_id, domain_id });
  }

  async stored({ domain_id }: DomainOwner): Promise<number> {
    const { rows } = await this.fixture.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM domain_reports WHERE domain_id = $1',
      [domain_id],
    );
    return rows[0]!.count;
  }

  /** Inserts the rows of `many` reports of today from other reporters. */
  async fill(many: number, domainId: string, details: readonly Source[] = []): Promise<void> {
    const failed = details.reduce((total, each) => total + each.failed, 0);
    await this.fixture.pool.query(
      'INSERT INTO domain_checks (domain_id, due_at) VALUES ($1, now()) ON CONFLICT DO NOTHING',
      [domainId],
    );
    await this.fixture.pool.query(
      `INSERT INTO domain_reports (domain_id, kind, reporter, report_id, reporter_domain, begins_at, ends_at, received_at,
         passed, failed, details)
       SELECT $1, 'dmarc', 'r@other.test', 'filled' || n, 'other' || n, now(), now(), now(), 0, $3, $4::jsonb
       FROM generate_series(1, $2::int) AS n`,
      [domainId, many, Math.min(failed, 1_000_000_000), JSON.stringify(details)],
    );
  }
}
