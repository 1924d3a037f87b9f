import { describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import PostalMime from 'postal-mime';
import { ownWorld } from './stories.js';

/** Configured like a deployment behind a local HTTPS load balancer, where webhooks may only go to public addresses. */
const PUBLIC_URL = 'https://mail.postern.test';

const world = await ownWorld({
  environment: {
    'api-gateway': { POSTERN_PUBLIC_URL: PUBLIC_URL, POSTERN_TRUSTED_PROXIES: '127.0.0.1' },
    'email-send': { POSTERN_PUBLIC_URL: PUBLIC_URL },
    'webhook-dispatch': { POSTERN_WEBHOOKS_ALLOW_PRIVATE: 'false' },
  },
});
const { id } = await world.dashboard.post<{ id: string }>('/email-services', { name: 'Shop' });
const servicePath = `/email-services/${id}`;
const { key } = await world.dashboard.post<{ key: string }>(`${servicePath}/api-keys`, { name: 'story' });
const apiKey = key;

describe('a webhook’s URL', () => {
  it.each([
    ['plain HTTP', 'http://93.184.215.14/events'],
    ['loopback', 'https://127.0.0.1/events'],
    ['a name for loopback', 'https://localhost/events'],
    ['loopback in hexadecimal', 'https://0x7f000001/events'],
    ['loopback in IPv6', 'https://[::1]/events'],
    ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/events'],
    ['a private network', 'https://10.1.2.3/events'],
    ['another private network', 'https://192.168.1.1/events'],
    ['link-local, as of cloud metadata', 'https://169.254.169.254/latest/meta-data'],
    ['carrier-grade NAT', 'https://100.64.0.1/events'],
    ['multicast', 'https://224.0.0.1/events'],
    ['a unique local IPv6 address', 'https://[fd00::1]/events'],
    ['no address at all', 'https://0.0.0.0/events'],
    ['a name that does not resolve', 'https://hooks.invalid/events'],
  ])('%s is refused at registration', async (_, url) => {
    expect(await world.callDashboardApi('POST', `${servicePath}/webhooks`, { url, events: ['bounced'] })).toMatchObject(
      {
        status: 400,
        body: { error: expect.stringMatching(/^url/) },
      },
    );
  });

  it('https with a public address is accepted, and cannot be changed to a private one', async () => {
    const url = 'https://93.184.215.14/events';
    const created = await world.callDashboardApi('POST', `${servicePath}/webhooks`, { url, events: ['bounced'] });
    expect(created).toMatchObject({ status: 201, body: { url } });

    const path = `${servicePath}/webhooks/${created.body['id']}`;
    expect((await world.callDashboardApi('PATCH', path, { url: 'https://127.0.0.1/events' })).status).toBe(400);
    expect((await world.callDashboardApi('GET', path)).body).toMatchObject({ url });
  });
});

describe('the public address', () => {
  it('reports liveness and readiness in one word', async () => {
    for (const path of ['/health/live', '/health/ready'])
      expect(await world.call('GET', path)).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it.each(['/metrics', '/health', '/dashboard/api/metrics'])('does not expose %s', async path => {
    expect((await world.call('GET', path)).status).toBe(404);
  });

  it('serves the OpenAPI document of the public API', async () => {
    const { status, body } = await world.call('GET', '/openapi.json');
    const paths = body['paths'] as Record<string, Record<string, { responses: object; requestBody?: object }>>;

    expect([status, body['openapi']]).toEqual([200, expect.stringMatching(/^3\.1/)]);
    expect(Object.keys(paths['/emails']?.['post']?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '409', '413', '415', '429', '503']),
    );
    expect(paths['/emails/{id}']?.['get']).toBeDefined();
  });

  it('serves the dashboard API’s own OpenAPI document, and the documentation page', async () => {
    const { body } = await world.call('GET', '/dashboard/api/openapi.json');
    const page = await world.call('GET', '/docs');

    expect(Object.keys(body['paths'] as object)).toContain('/dashboard/api/email-services');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('marks the session cookie Secure and sends HSTS', async () => {
    const { headers } = await world.call('POST', '/dashboard/api/session', { body: world.postern.operator });

    expect(headers.get('set-cookie')).toMatch(/; Secure/i);
    expect(headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('tracking behind a load balancer', () => {
  it('pixels begin with the public URL, and an open has the reader’s address, not the balancer’s', async () => {
    const sent = await world.call('POST', '/emails', {
      headers: { 'api-key': apiKey },
      body: {
        from: 'orders@shop.test',
        to: ['delivered@simulator.test'],
        subject: 'Your receipt',
        message: '<p>You paid <b>42 €</b>.</p>',
      },
    });
    const { html } = await PostalMime.parse((await world.mailTo('delivered@simulator.test')).raw);
    const pixel = /<img[^>]+src="([^"]+)"/.exec(html ?? '')?.[1] as string;
    expect(pixel).toMatch(new RegExp(`^${PUBLIC_URL}/o/`));

    await world.call('GET', new URL(pixel).pathname, {
      headers: { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    });

    const timeline = () => world.dashboard.get<Tracked>(`${servicePath}/emails/${sent.body['id']}`);
    const opened = await eventually(async () => {
      const entry = (await timeline()).timeline.find(({ kind }) => kind === 'opened');
      expect(entry).toBeDefined();
      return entry;
    });
    expect(opened?.detail).toContain('from 203.0.113.7');
  });
});

interface Tracked {
  readonly timeline: readonly { readonly kind: string; readonly detail: string }[];
}
