import { describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import { sharedWorld } from './stories.js';
import type { Sender } from './world.js';

const world = await sharedWorld();

const call = (sender: Sender, method: string, path: string, body?: unknown) =>
  world.call(method, path, { headers: { 'api-key': sender.apiKey }, ...(body === undefined ? {} : { body }) });
const receivedBy = async (address: string) => (await world.mailsTo(address)).map(({ raw }) => raw);
const TEMPLATE = { name: 'receipt', subject: 'Receipt {{order}}', html: '<p>Thank you, {{name}}.</p>' };

describe('a stored template', () => {
  it('is sent by name with escaped variables, and refused if one is missing', async () => {
    const sender = await world.sender('Templates', 'templates.test');
    await world.callDashboardApi('POST', `${sender.path}/templates`, TEMPLATE);
    const email = { from: 'a@templates.test', to: ['delivered+template@simulator.test'] };
    const variables = { order: 4711, name: '<b>Ada</b>' };
    const sent = await sender.send({ ...email, template: { name: 'receipt', variables } });
    expect(sent).toMatchObject({ status: 200, body: { status: 'sent' } });
    const [raw = ''] = await eventually(async () => {
      const mails = await receivedBy('delivered+template@simulator.test');
      expect(mails).toHaveLength(1);
      return mails;
    });
    expect(raw).toMatch(/^Subject: Receipt 4711\r?$/m);
    expect(raw).toContain('Thank you, &lt;b&gt;Ada&lt;/b&gt;.');
    expect(await sender.send({ ...email, template: { name: 'receipt', variables: { order: 1 } } })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('template.variables.name') },
    });
  });
});

describe('a scheduled message', () => {
  it('is sent at its time, unless it is cancelled', async () => {
    const sender = await world.sender('Scheduled', 'scheduled.test');
    const schedule = async (to: string) => {
      const send_at = new Date(Date.now() + 60_000).toISOString();
      const email = { from: 'a@scheduled.test', to: [to], subject: 'Later', text: 'Later' };
      const { status, body } = await call(sender, 'POST', '/scheduled-emails', { send_at, email });
      expect({ status, body }).toMatchObject({ status: 201, body: { send_at, state: 'scheduled' } });
      return String(body['id']);
    };
    const [kept, cancelled] = [
      await schedule('delivered+later@simulator.test'),
      await schedule('delivered+never@simulator.test'),
    ];
    expect((await call(sender, 'DELETE', `/scheduled-emails/${cancelled}`)).body).toMatchObject({ state: 'cancelled' });
    expect(await world.dashboard.get(`${sender.path}/scheduled-emails`)).toMatchObject({ total: 2 });
    const { body } = await eventually(
      async () => {
        const answer = await call(sender, 'GET', `/scheduled-emails/${kept}`);
        expect(answer.body).toMatchObject({ state: 'sent' });
        return answer;
      },
      { timeoutMs: 90_000 },
    );
    await sender.event('delivered', String(body['email_id']));
    expect(await receivedBy('delivered+later@simulator.test')).toHaveLength(1);
    expect(await receivedBy('delivered+never@simulator.test')).toHaveLength(0);
  }, 120_000);
});

describe('the hosted page to unsubscribe', () => {
  it('suppresses the address for messages that offer it, and only for them', async () => {
    const sender = await world.sender('Newsletter', 'newsletter.test');
    const email = { from: 'a@newsletter.test', to: ['delivered+off@simulator.test'], subject: 'News', text: 'News' };
    const offered = { ...email, list_unsubscribe: { one_click: true } };
    expect((await sender.send(offered)).body).toMatchObject({ status: 'sent' });
    const path = await eventually(async () => {
      const [raw = ''] = await receivedBy('delivered+off@simulator.test');
      expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
      return /^List-Unsubscribe:\s+<[^>]*(\/u\/[\w-]+)>/m.exec(raw)?.[1] ?? '';
    });
    const clicked = await fetch(world.postern.baseUrl + path, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    expect(clicked.status).toBe(200);
    await eventually(async () =>
      expect(await world.dashboard.get(`${sender.path}/suppressions`)).toMatchObject({
        items: [{ address: 'delivered+off@simulator.test', reason: 'unsubscribed' }],
      }),
    );
    await eventually(async () => expect((await sender.send(offered)).body).toMatchObject({ status: 'failed' }));
    expect((await sender.send(email)).body).toMatchObject({ status: 'sent' });
  });
});
