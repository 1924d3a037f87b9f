import { gzipSync } from 'node:zlib';
import { dmarcReport, tlsReport, waitFor } from '@postern/testing';
import { reportSender } from '../report-sender.js';
import type { Sender, World } from '../world.js';

/** An image that no server has. */
export const REMOTE_IMAGE = 'https://images.shop.test/logo.png';

const MAIL = {
  from: 'Shop <orders@shop.test>',
  subject: 'Your receipt',
  message: `<h1>Thanks</h1><p>You paid 42 €.</p><img src="${REMOTE_IMAGE}" alt="Logo">`,
  attachments: [{ filename: 'receipt.txt', content: Buffer.from('42 €').toString('base64') }],
  tags: { order: '4711' },
};
const OUTCOMES = {
  delivered: 'delivered',
  'hard-bounce': 'bounced',
  'soft-bounce': 'bounced',
  complaint: 'complained',
};

/** Creates an email service of each mode with messages of every outcome. @returns the paths of its pages. */
export async function createEmailContent(world: World): Promise<readonly string[]> {
  const sender = await world.sender('Shop', 'shop.test');
  const emails: string[] = [];
  for (const [recipient, event] of Object.entries(OUTCOMES)) {
    const { body } = await sender.send({ ...MAIL, to: [`${recipient}@simulator.test`] });
    emails.push(String(body['id']));
    await sender.event(event, String(body['id']), 60_000);
  }
  const { body } = await sender.send({ ...MAIL, to: ['ada@customers.test'], cc: ['bob@customers.test'] });
  const pending = await world.dashboard.post<{ id: string }>(`${sender.path}/domains`, { domain: 'pending.test' });
  await world.callDashboardApi('PUT', `${sender.path}/domains/${pending.id}/tracking-host`, {
    host: 'click.pending.test',
  });
  await world.dashboard.post(`${sender.path}/suppressions`, { addresses: ['carol@customers.test'] });
  await createReports(world, sender);
  const template = await world.dashboard.post<{ id: string }>(`${sender.path}/templates`, {
    ...{ name: 'receipt', subject: 'Your receipt', html: '<p>Thanks, {{name}}!</p>' },
  });
  const sandbox = await world.dashboard.post<{ id: string }>('/email-services', { name: 'Sandbox' });
  const email = `/services/${sender.serviceId}`;
  return [
    email,
    `${email}?simulator=include`,
    ...[
      'api-keys',
      'domains',
      'recipients',
      'webhooks',
      'messages',
      'suppressions',
      'settings',
      'scheduled',
      'templates',
      'requests',
    ].map(page => `${email}/${page}`),
    `${email}/webhooks/${sender.webhookId}`,
    `${email}/templates/${template.id}`,
    ...[...emails, String(body['id'])].map(id => `${email}/messages/${id}`),
    `/services/${sandbox.id}`,
    ...['api-keys', 'domains', 'recipients', 'webhooks', 'messages'].map(page => `/services/${sandbox.id}/${page}`),
  ];
}

/** Sends a DMARC report and a TLS report about shop.test for the page of its domains. */
async function createReports(world: World, sender: Sender): Promise<void> {
  const receiver = await reportSender(world.postern, 'receiver.test');
  const records = [
    { ip: '198.51.100.7', count: 2, dkim: 'fail', spf: 'fail', disposition: 'reject' },
    { ip: '192.0.2.10', count: 40, dkim: 'pass', spf: 'fail', dkimDomain: 'shop.test' },
  ] as const;
  await receiver.send('report.xml.gz', gzipSync(dmarcReport({ domain: 'shop.test' }, records)));
  await receiver.send('report.json.gz', gzipSync(tlsReport({ domain: 'shop.test' })));
  const domains = await world.dashboard.get<{ id: string; domain: string }[]>(`${sender.path}/domains`);
  const { id } = domains.find(({ domain }) => domain === 'shop.test') as { id: string };
  await waitFor(
    async () => {
      const { reports } = await world.dashboard.get<{ reports: unknown[] }>(`${sender.path}/domains/${id}/reports`);
      return reports.length === 2;
    },
    { timeoutMs: 30_000, describe: 'both reports' },
  );
}
