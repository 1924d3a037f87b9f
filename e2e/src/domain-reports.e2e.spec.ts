import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { dmarcReport, type ReportRecord, tlsReport } from '@postern/testing';
import { reportSender } from './report-sender.js';
import { sharedWorld } from './stories.js';
import type { Sender } from './world.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'reported.test');
const receiver = await reportSender(world.postern, 'receiver.test');

describe('a sending domain', () => {
  it('requests DMARC reports from receivers in the record that it shows', async () => {
    const { records } = await domainOf(sender);
    const dmarc = records.find(({ purpose }) => purpose === 'dmarc');

    expect(dmarc?.value).toBe('v=DMARC1; p=none; rua=mailto:reports@bounces.postern.test');
    expect((await reportsOf(sender)).body).toMatchObject({
      records: [
        { purpose: 'dmarc', name: '_dmarc.reported.test', value: dmarc?.value, ok: true },
        {
          purpose: 'tls',
          name: '_smtp._tls.reported.test',
          value: 'v=TLSRPTv1; rua=mailto:reports@bounces.postern.test',
        },
      ],
      reports: [],
    });
  });

  it('shows which sources fail DMARC according to its reports, and how to fix it', async () => {
    await receiver.send('report.xml.gz', dmarc('1', [SPOOFER, RELAY]));

    const { status, body } = await reportsOf(sender);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        dmarc: {
          messages: 42,
          passed: 40,
          failed: 2,
          sources: [
            {
              source_ip: SPOOFER.ip,
              failed: 2,
              disposition: { none: 0, quarantine: 0, reject: 2 },
              reporters: ['dmarc@receiver.test'],
              advice: expect.stringMatching(/^Neither DKIM nor SPF passes for reported\.test\./),
            },
            {
              source_ip: RELAY.ip,
              messages: 40,
              dkim_aligned: 40,
              spf_aligned: 0,
              advice: expect.stringContaining('Publish the return path record of reported.test'),
            },
          ],
        },
        reports: [{ kind: 'dmarc', reporter: 'dmarc@receiver.test', passed: 40, failed: 2 }],
      },
    });
  });

  it('shows why TLS connections to its mail servers fail', async () => {
    await receiver.send('report.json.gz', gzipSync(tlsReport({ domain: 'reported.test' })));

    expect((await reportsOf(sender)).body).toMatchObject({
      tls: {
        failed: 303,
        failures: [{ result_type: 'certificate-expired', advice: expect.stringContaining('Renew') }],
      },
    });
  });

  it('accepts no report from a sender that only claims to be a receiver, and no report twice', async () => {
    const before = (await reportsOf(sender)).body;
    const unsigned = await reportSender(world.postern, 'receiver.test', { signs: false });
    await unsigned.send('report.xml.gz', dmarc('forged', [SPOOFER]));
    const impostor = await reportSender(world.postern, 'evil.test');
    await impostor.send('report.xml.gz', dmarc('forged', [SPOOFER]), 'dmarc@receiver.test');
    await receiver.send('report.xml.gz', dmarc('1', [SPOOFER, RELAY]));
    await receiver.send('report.xml.gz', gzipSync(Buffer.alloc(40 << 20, ' ')));

    const { since, ...after } = (await reportsOf(sender)).body;
    expect({ since: expect.any(String), ...after }).toEqual({ ...before, since: expect.any(String) });
  });

  it('shows no reports about domains of other workspaces, nor its own to them', async () => {
    const neighbour = await world.sender('Neighbour', 'neighbour-of-reported.test');
    await receiver.send('report.xml.gz', gzipSync(dmarcReport({ domain: 'nobody.test', id: '7' }, [SPOOFER])));

    expect((await reportsOf(neighbour)).body).toMatchObject({ reports: [], dmarc: { messages: 0 } });
    const { id } = await domainOf(sender);
    expect((await world.callDashboardApi('GET', `${neighbour.path}/domains/${id}/reports`)).status).toBe(404);
  });
});

const SPOOFER: ReportRecord = { ip: '198.51.100.7', count: 2, dkim: 'fail', spf: 'fail', disposition: 'reject' };
const RELAY: ReportRecord = {
  ip: '192.0.2.10',
  count: 40,
  dkim: 'pass',
  spf: 'fail',
  dkimDomain: 'reported.test',
  spfDomain: 'bounces.postern.test',
};

interface Domain {
  readonly id: string;
  readonly records: readonly { readonly purpose: string; readonly value: string }[];
}

const dmarc = (id: string, records: readonly ReportRecord[]) =>
  gzipSync(dmarcReport({ domain: 'reported.test', id }, records));

async function domainOf({ path }: Sender): Promise<Domain> {
  const [domain] = (await world.callDashboardApi('GET', `${path}/domains`)).body as unknown as Domain[];
  return domain as Domain;
}

async function reportsOf(of: Sender) {
  const { id } = await domainOf(of);
  return world.callDashboardApi('GET', `${of.path}/domains/${id}/reports`);
}
