import type { DashboardClient } from './dashboard-client.js';
import type { Home } from './home.js';
import type { LocalDns } from './local-dns.js';

export const OWNER = 'owner@example.com';
const DOMAIN = 'example.com';
/** Addresses of the simulator also work in sandbox mode, so the demo message needs no verified recipient. */
const DEMO_RECIPIENT = 'delivered@simulator.test';

interface EmailServiceAccess {
  readonly service_id: string;
  readonly api_key: string;
}

/** The demo workspace: stored for later starts, because the API shows the keys and the secret only once. */
export interface DemoWorkspace {
  readonly sandbox: EmailServiceAccess;
  readonly production: EmailServiceAccess;
  readonly webhook: { readonly id: string; readonly secret: string };
  readonly platform: PlatformAccess;
}

/** Keys of the platform API. */
export interface PlatformAccess {
  readonly write_key: string;
  readonly read_key: string;
}

interface DnsRecord {
  readonly type: 'TXT';
  readonly name: string;
  readonly value: string;
}

interface Domain {
  readonly id: string;
  readonly status: string;
  readonly records: readonly DnsRecord[];
}

const createService = async (dashboard: DashboardClient, name: string): Promise<EmailServiceAccess> => {
  const { id } = await dashboard.post<{ id: string }>('/email-services', { name });
  const { key } = await dashboard.post<{ key: string }>(`/email-services/${id}/api-keys`, { name: 'local start' });
  return { service_id: id, api_key: key };
};

const publish = (dns: LocalDns, domain: Domain) => {
  for (const record of domain.records) dns.setText(record.name, record.value);
};

interface MailboxMessage {
  readonly raw: string;
}

const CODE_WITHIN_MS = 20_000;

/** Verifies the owner's address like any other: reads the code from the mailbox that received it. */
const verifyOwner = async (dashboard: DashboardClient, serviceId: string, mailboxUrl: string): Promise<void> => {
  const recipients = `/email-services/${serviceId}/recipients`;
  const { id } = await dashboard.post<{ id: string }>(recipients, { address: OWNER });
  const deadline = Date.now() + CODE_WITHIN_MS;
  while (Date.now() < deadline) {
    const response = await fetch(`${mailboxUrl}/messages?to=${encodeURIComponent(OWNER)}`);
    const mails = (await response.json()) as MailboxMessage[];
    const code = mails
      .map(({ raw }) => /^\D*\b(\d{6})\b/m.exec(raw.slice(raw.indexOf('\r\n\r\n')))?.[1])
      .findLast(Boolean);
    if (code) return void (await dashboard.post(`${recipients}/${id}/verify`, { code }));
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error(`no code reached the mailbox of ${OWNER} within ${CODE_WITHIN_MS / 1000} s`);
};

const createPlatformKeys = async (dashboard: DashboardClient): Promise<PlatformAccess> => {
  const keyFor = async (scope: 'read' | 'write') =>
    (await dashboard.post<{ key: string }>('/platform-keys', { name: `local start, ${scope}`, scope })).key;
  return { write_key: await keyFor('write'), read_key: await keyFor('read') };
};

/** Creates the demo workspace through the dashboard's API at the first start; later starts reuse it. */
export const prepareDemo = async (
  dashboard: DashboardClient,
  home: Home,
  dns: LocalDns,
  at: { readonly webhookUrl: string; readonly mailboxUrl: string },
): Promise<DemoWorkspace> => {
  const known = home.read<DemoWorkspace>('demo.json');
  if (known) {
    const service = `/email-services/${known.production.service_id}`;
    for (const domain of await dashboard.get<Domain[]>(`${service}/domains`)) publish(dns, domain);
    await dashboard.patch(`${service}/webhooks/${known.webhook.id}`, { url: at.webhookUrl });
    return known;
  }
  const sandbox = await createService(dashboard, 'Demo (sandbox)');
  await verifyOwner(dashboard, sandbox.service_id, at.mailboxUrl);
  const production = await createService(dashboard, 'Demo (production)');
  const service = `/email-services/${production.service_id}`;
  const domain = await dashboard.post<Domain>(`${service}/domains`, { domain: DOMAIN });
  publish(dns, domain);
  const verified = await dashboard.post<Domain>(`${service}/domains/${domain.id}/verify`, {});
  if (verified.status !== 'verified') throw new Error(`the demo domain was not verified: ${JSON.stringify(verified)}`);
  const webhook = await dashboard.post<{ id: string; secret: string }>(`${service}/webhooks`, {
    url: at.webhookUrl,
    events: ['delivered', 'bounced', 'complained', 'opened', 'clicked'],
  });
  const demo = { sandbox, production, webhook, platform: await createPlatformKeys(dashboard) };
  home.write('demo.json', demo);
  return demo;
};

/** Sends one message as a client would. @returns its id. */
export const sendDemoMessage = async (baseUrl: string, apiKey: string): Promise<string> => {
  const response = await fetch(`${baseUrl}/emails`, {
    method: 'POST',
    headers: { 'api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      from: `Postern <hello@${DOMAIN}>`,
      to: [DEMO_RECIPIENT],
      subject: 'Your first message through Postern',
      message: '<p>It works. <a href="https://example.com/">Where it all began</a>.</p>',
    }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the demo message was answered with ${response.status}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
};

export const DEMO_DOMAIN = DOMAIN;
