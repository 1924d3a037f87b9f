import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DashboardClient, LIFTED_CALLER_LIMITS } from '@postern/local-start';
import { freePort, waitFor } from '@postern/testing';
import PostalMime from 'postal-mime';
import { World } from '../world.js';

const PASSWORD = 'a password of a story about cells';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const GATEWAY = join(import.meta.dirname, '../../../apps/api-gateway/dist/bundle.js');

const port = await freePort();
const url = `http://127.0.0.1:${port}`;

/** A complete installation with its own PostgreSQL and NATS, whose mails link to the gateway before all cells. */
const startCell = () => World.start({ environment: { 'email-send': { POSTERN_PUBLIC_URL: url } } });

/** A user of one cell, who reaches it through the gateway before all cells. */
class Tenant {
  readonly dashboard = new DashboardClient(url);
  apiKey = '';
  platformKey = '';
  servicePath = '';

  constructor(
    readonly world: World,
    readonly name: string,
  ) {}

  get email(): string {
    return `owner@${this.name}.test`;
  }

  async signIn(): Promise<void> {
    await this.dashboard.login(this.email, PASSWORD);
  }

  async setUp(): Promise<void> {
    await this.signIn();
    const { id } = await this.dashboard.post<{ id: string }>('/email-services', { name: this.name });
    this.servicePath = `/email-services/${id}`;
    await this.dashboard.patch(this.servicePath, { click_tracking: true });
    this.apiKey = (await this.dashboard.post<{ key: string }>(`${this.servicePath}/api-keys`, { name: 'app' })).key;
    const platformKey = { name: 'ci', scope: 'write' };
    this.platformKey = (await this.dashboard.post<{ key: string }>('/platform-keys', platformKey)).key;
    const domain = { domain: `${this.name}.test` };
    const added = await this.dashboard.post<{ id: string; records: { name: string; value: string }[] }>(
      `${this.servicePath}/domains`,
      domain,
    );
    for (const { name, value } of added.records) await this.world.postern.dns.setText(name, value);
    await this.dashboard.post(`${this.servicePath}/domains/${added.id}/verify`, {});
  }

  send(to: string) {
    return call(
      'POST',
      '/emails',
      { 'api-key': this.apiKey },
      {
        from: `Shop <shop@${this.name}.test>`,
        to: [to],
        subject: 'Hello',
        message: '<p>See <a href="https://shop.test/">the shop</a>.</p>',
      },
    );
  }

  platform(method: string, path: string, body?: unknown) {
    return call(method, `/api/v1${path}`, { authorization: `Bearer ${this.platformKey}` }, body);
  }
}

const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

/** The gateway before the cells, as a process. */
const startGateway = async (cells: Readonly<Record<string, World>>) => {
  const setting = Object.entries(cells).map(([name, { postern }], index) => ({
    name,
    open: index === 0,
    natsServers: postern.wiring.natsUrl,
    natsCaFile: postern.wiring.natsCaFile,
    natsUser: 'api-gateway',
    natsPassword: postern.wiring.natsPasswords['api-gateway'],
    linkSecrets: [postern.home.secrets().linkSecret],
  }));
  const gateway = spawn(process.execPath, [GATEWAY], {
    env: {
      ...LIFTED_CALLER_LIMITS,
      POSTERN_CELLS: JSON.stringify(setting),
      POSTERN_PORT: String(port),
      POSTERN_PUBLIC_URL: url,
      POSTERN_EXIT_WITH_PARENT: 'true',
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const isReady = async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;
  await waitFor(isReady, { timeoutMs: 60_000, describe: () => 'the gateway before two cells' });
  return () => gateway.kill();
};

const first = await startCell();
const second = await startCell();
let secondStops: Promise<void> | undefined;
const stopSecond = () => (secondStops ??= second.stop());
let stopGateway: (() => void) | undefined;
afterAll(async () => {
  stopGateway?.();
  await Promise.all([first.stop(), stopSecond()]);
});

const tenants = { eu1: new Tenant(first, 'eu1'), eu2: new Tenant(second, 'eu2') };
const both = Object.values(tenants);
const otherOf = (tenant: Tenant): Tenant => both.find(one => one !== tenant)!;

beforeAll(async () => {
  // Each cell was open once, and its operator created its user then.
  for (const { world, email } of both) await world.dashboard.post('/users', { email, password: PASSWORD });
  stopGateway = await startGateway({ eu1: first, eu2: second });
  for (const tenant of both) await tenant.setUp();
}, 180_000);

describe('One gateway before two complete installations', () => {
  it('signs users of both in by their address, and each sees what is in its own', async () => {
    for (const tenant of both) {
      const me = await tenant.dashboard.get<{ email: string }>('/me');
      const services = await tenant.dashboard.get<{ name: string }[]>('/email-services');
      expect([me.email, services.map(({ name }) => name)]).toEqual([tenant.email, [tenant.name]]);
    }
  });

  it('sends the email of both, whose links work', async () => {
    for (const tenant of both) {
      const reader = `reader@${tenant.name}-customers.test`;
      const sent = await tenant.send(reader);
      expect([sent.status, sent.text]).toEqual([200, expect.any(String)]);
      const { id } = JSON.parse(sent.text) as { id: string };
      const { html = '' } = await PostalMime.parse((await tenant.world.mailTo(reader)).raw);
      expect(await otherOf(tenant).world.mailsTo(reader)).toEqual([]);

      const [, pixel = ''] = /<img[^>]+src="([^"]+)"/.exec(html) ?? [];
      const [, link = ''] = /href="([^"]+)"/.exec(html) ?? [];
      expect([pixel, link]).toEqual([expect.stringContaining(`${url}/o/`), expect.stringContaining(`${url}/c/`)]);
      await fetch(pixel, { headers: { 'user-agent': BROWSER } });
      const followed = await fetch(link, { headers: { 'user-agent': BROWSER }, redirect: 'manual' });
      expect(followed.headers.get('location')).toBe('https://shop.test/');
      await waitFor(
        async () => {
          const path = `${tenant.servicePath}/emails/${id}`;
          const { timeline } = await tenant.dashboard.get<{ timeline: { kind: string }[] }>(path);
          const types = timeline.map(one => one.kind);
          return types.includes('opened') && types.includes('clicked');
        },
        { timeoutMs: 30_000, describe: () => `the open and the click of ${tenant.name}` },
      );
    }
  });

  it('manages the platform of both', async () => {
    for (const tenant of both) {
      const created = await tenant.platform('POST', '/projects', { name: `shop-${tenant.name}` });
      expect(created.status).toBe(201);
      const listed = await tenant.platform('GET', '/projects');
      expect(listed.text).toContain(`shop-${tenant.name}`);
      expect(listed.text).not.toContain(`shop-${otherOf(tenant).name}`);
    }
  });

  it('stops a revoked key at once', async () => {
    const [{ id }] = await tenants.eu2.dashboard.get<[{ id: string }]>('/platform-keys');
    const path = '/web-services';
    expect((await tenants.eu2.platform('GET', path)).status).toBe(200);
    await tenants.eu2.dashboard.delete(`/platform-keys/${id}`);
    expect((await tenants.eu2.platform('GET', path)).status).toBe(401);
  });

  it('serves the others while one is down, and tells its own tenants why not', async () => {
    await stopSecond();
    const away = await waitFor(
      async () => {
        const answer = await tenants.eu2.send('reader@example.test');
        return answer.status === 503 && answer.text.includes('The cell eu2 cannot be reached') ? answer : undefined;
      },
      { timeoutMs: 30_000, describe: () => 'the answer about the cell that is down' },
    );
    expect(away.headers.get('retry-after')).toMatch(/^\d+$/);
    await expect(tenants.eu2.signIn()).rejects.toThrow('503');

    expect((await tenants.eu1.send('reader@example.test')).status).toBe(200);
    await tenants.eu1.signIn();
    expect((await tenants.eu1.platform('GET', '/web-services')).status).toBe(200);
  });
});
