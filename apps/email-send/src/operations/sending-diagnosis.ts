import { Inject, Injectable } from '@nestjs/common';
import { RelaySet } from '@postern/mail';
import { CONFIG, type Finding } from '@postern/service-host';
import { CodeOptOuts } from '../code-opt-outs/code-opt-outs.js';
import type { EmailSendConfig } from '../config.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { dkimRecordName, isDmarc } from '../sending-domains/domain-records.js';
import { DnsLookups } from './dns-lookups.js';

type Settings = Pick<
  EmailSendConfig,
  'bounceDomain' | 'sandboxDomain' | 'spfHost' | 'sandboxDkimKey' | 'sandboxDkimSelector'
>;

const good = (check: string, found: string): Finding => ({ check, verdict: 'good', found });
const wrong = (check: string, verdict: 'warning' | 'bad', found: string, advice: string): Finding => ({
  check,
  verdict,
  found,
  advice,
});

/** Checks the relays, and the DNS records that delivery through them depends on. */
@Injectable()
export class SendingDiagnosis {
  constructor(
    private readonly relays: RelaySet,
    private readonly dns: DnsLookups,
    @Inject(CONFIG) private readonly settings: Settings,
    private readonly prisma: PrismaClient,
    private readonly optOuts: CodeOptOuts,
  ) {}

  async findings(): Promise<Finding[]> {
    const { bounceDomain, sandboxDomain, spfHost, sandboxDkimKey, sandboxDkimSelector } = this.settings;
    const sandboxDkimName = sandboxDkimKey && dkimRecordName(sandboxDkimSelector, sandboxDomain);
    const found = await Promise.all([
      this.#relays(),
      this.#record(
        'SPF host',
        spfHost,
        /^v=spf1( |$)/i,
        'the addresses that your relays send from: "v=spf1 ip4:… -all"',
      ),
      this.#returnPath(bounceDomain),
      this.#reports(bounceDomain),
      this.#record('SPF of return paths', bounceDomain, /^v=spf1( |$)/i, `"v=spf1 include:${spfHost} -all"`),
      this.#record('SPF of the sandbox', sandboxDomain, /^v=spf1( |$)/i, `"v=spf1 include:${spfHost} -all"`),
      sandboxDkimName === undefined
        ? [
            wrong(
              'DKIM of the sandbox',
              'warning',
              'no key',
              'Set POSTERN_SANDBOX_DKIM_KEY: receivers treat unsigned mail with codes as junk.',
            ),
          ]
        : this.#record('DKIM of the sandbox', sandboxDkimName, /(^|;)\s*p\s*=\s*\S/, 'the public half of the key'),
      this.#record('DMARC of the sandbox', `_dmarc.${sandboxDomain}`, /^\s*v\s*=\s*DMARC1/, '"v=DMARC1; p=none"'),
      this.#sendingDomains(),
      this.#codeOptOuts(),
    ]);
    return found.flat();
  }

  async #relays(): Promise<Finding[]> {
    const probes = await this.relays.probe();
    return probes.map(probe => {
      const check = `relay ${probe.relay}`;
      if (!probe.ok) return wrong(check, 'bad', probe.reason, 'Check POSTERN_RELAYS, the credentials and the network.');
      const offers = `answers; SMTPUTF8 ${probe.smtpUtf8Offered ? 'yes' : 'no'}, DSN ${probe.dsnOffered ? 'yes' : 'no'}`;
      return probe.dsnOffered
        ? good(check, offers)
        : wrong(
            check,
            'warning',
            offers,
            'Without DSN (RFC 3461), the relay reports only failures. There are no "delivered" events unless the events of the mail provider are connected (docs/email/providers.md), or POSTERN_RELAY_IS_FINAL is true.',
          );
    });
  }

  async #record(what: string, name: string, form: RegExp, wanted: string): Promise<Finding[]> {
    const check = `${what}, TXT ${name}`;
    try {
      const fitting = (await this.dns.texts(name)).filter(text => form.test(text));
      if (fitting.length === 1) return [good(check, fitting[0] as string)];
      if (fitting.length === 0) return [wrong(check, 'bad', 'no such record', `Publish ${wanted}.`)];
      return [wrong(check, 'bad', `${fitting.length} records`, 'Keep one of them: receivers ignore several.')];
    } catch (error) {
      return [wrong(check, 'bad', (error as Error).message, 'Check POSTERN_DNS_SERVERS and the zone.')];
    }
  }

  async #returnPath(domain: string): Promise<Finding[]> {
    const check = `return paths, MX ${domain}`;
    try {
      const hosts = await this.dns.mailHosts(domain);
      if (hosts.length === 0)
        return [
          wrong(check, 'bad', 'no such record', 'Publish an MX that names the host of the bounce listener, port 25.'),
        ];
      const addresses = (await Promise.all(hosts.map(host => this.dns.addresses(host)))).flat();
      if (addresses.length === 0)
        return [
          wrong(check, 'bad', `${hosts.join(', ')} without an address`, 'Publish an A or AAAA record of the host.'),
        ];
      return [good(check, `${hosts.join(', ')} at ${addresses.join(', ')}`)];
    } catch (error) {
      return [wrong(check, 'bad', (error as Error).message, 'Check POSTERN_DNS_SERVERS and the zone.')];
    }
  }

  /** Queries one name below the wildcard, which covers the names of all customer domains. */
  async #reports(bounceDomain: string): Promise<Finding[]> {
    const zone = `_report._dmarc.${bounceDomain}`;
    const check = `DMARC reports, TXT *.${zone}`;
    try {
      const texts = await this.dns.texts(`customer.${zone}`);
      if (texts.some(isDmarc)) return [good(check, 'v=DMARC1')];
      return [
        wrong(
          check,
          'warning',
          'no such record',
          'Publish "v=DMARC1": without it receivers send no reports about domains.',
        ),
      ];
    } catch (error) {
      return [wrong(check, 'warning', (error as Error).message, 'Check POSTERN_DNS_SERVERS and the zone.')];
    }
  }

  async #codeOptOuts(): Promise<Finding[]> {
    return [good('mailboxes that refuse verification codes', String((await this.optOuts.count()).count))];
  }

  /** The status of the last checks; the dashboard shows what is missing. */
  async #sendingDomains(): Promise<Finding[]> {
    const rows = await this.prisma.sendingDomain.findMany({
      select: { status: true, domain: true },
      distinct: ['status', 'domain'],
      orderBy: [{ status: 'asc' }, { domain: 'asc' }],
    });
    return [...Map.groupBy(rows, ({ status }) => status)].map(([status, ofStatus]) => {
      const domains = ofStatus.map(({ domain }) => domain);
      const found = `${domains.length} ${status}: ${domains.slice(0, 5).join(', ')}${domains.length > 5 ? ', …' : ''}`;
      return status === 'verified'
        ? good('sending domains', found)
        : wrong('sending domains', 'warning', found, 'The dashboard shows their records and what is wrong.');
    });
  }
}
