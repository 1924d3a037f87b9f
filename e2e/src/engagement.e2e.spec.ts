import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import PostalMime from 'postal-mime';
import { sharedWorld } from './stories.js';
import type { Sender, WebhookEvent } from './world.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');

describe('open tracking', () => {
  it('is on by default: every recipient has their own pixel, whose event has user agent and IP address', async () => {
    const id = await sent({ to: ['ada@customers.test', 'bea@customers.test'], subject: 'Two readers' });
    const [ofAda, ofBea] = [
      pixelIn(await htmlTo('ada@customers.test', 'Two readers')),
      pixelIn(await htmlTo('bea@customers.test', 'Two readers')),
    ];
    expect(ofAda).not.toBe(ofBea);

    const picture = await visit(ofBea);
    const event = await sender.event('opened', id);

    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect(picture.headers.get('cache-control')).toContain('no-store');
    expect(event.to).toBe('bea@customers.test');
    expect(event.data).toMatchObject({ user_agent: BROWSER, ip: '127.0.0.1' });
  });

  it('needs an HTML body: plain text alone is not changed', async () => {
    await sent({ message: undefined, text: 'Thanks, and see https://shop.test/.', to: ['plain@customers.test'] });
    const { raw } = await world.mailTo('plain@customers.test');

    expect(raw).toContain('see https://shop.test/.');
    expect(raw).not.toContain(world.postern.baseUrl);
  });

  it('a forged pixel returns the same image and creates no event; nor does a HEAD request', async () => {
    const id = await sent({ to: ['careful@customers.test'] });
    const pixel = pixelIn(await htmlTo('careful@customers.test'));
    const forged = await visit(forgedFrom(pixel));
    await fetch(pixel, { method: 'HEAD', headers: { 'user-agent': BROWSER } });
    const genuine = await visit(pixel);
    await sender.event('opened', id);

    expect([forged.status, forged.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect(Buffer.from(await forged.arrayBuffer())).toEqual(Buffer.from(await genuine.arrayBuffer()));
    expect(eventsOf(id).filter(({ event }) => event === 'opened')).toHaveLength(1);
  });

  it('an open by a machine is marked and not counted as an open by a reader', async () => {
    const watched = await world.sender('Watched', 'watched.test');
    const from = 'a@watched.test';
    const id = await sent({ from, to: ['scanned@customers.test'] }, watched);
    await visit(pixelIn(await htmlTo('scanned@customers.test')), 'Barracuda Sentinel (EE)');
    const event = await watched.event('opened', id);

    expect(event.data).toMatchObject({
      user_agent: 'Barracuda Sentinel (EE)',
      machine: true,
      machine_reason: 'security scanner',
    });
    await eventually(async () =>
      expect(await statsToday(watched)).toMatchObject({ total: { opened: 0, machine_opens: 1 } }),
    );
    await visit(pixelIn(await htmlTo('scanned@customers.test')));
    await eventually(async () =>
      expect(await statsToday(watched)).toMatchObject({ total: { opened: 1, machine_opens: 1 } }),
    );
  });
});

describe('click tracking', () => {
  const LINKS = `<html><body>
    <a href="https://shop.test/order?a=1&amp;b=2#top">order</a> <a href='http://shop.test/plain'>plain</a>
    <a href="mailto:help@shop.test">write</a> <a href="tel:+4912345">call</a> <a href="#part">part</a>
    </body></html>`;

  it('is off by default: links are not changed', async () => {
    await sent({ to: ['untracked@customers.test'], message: LINKS });

    expect(linksIn(await htmlTo('untracked@customers.test'))).toEqual([
      'https://shop.test/order?a=1&b=2#top',
      'http://shop.test/plain',
      'mailto:help@shop.test',
      'tel:+4912345',
      '#part',
    ]);
  });

  describe('switched on', () => {
    let clicking: Sender;
    let id: string;
    let html: string;
    let links: readonly string[];

    beforeAll(async () => {
      clicking = await world.sender('Clicking', 'clicking.test');
      await world.dashboard.patch(clicking.path, { click_tracking: true });
      id = await sent({ from: 'a@clicking.test', to: ['clicker@customers.test'], message: LINKS }, clicking);
      html = await htmlTo('clicker@customers.test');
      links = linksIn(html);
    });

    it('signs only the http(s) links of the HTML body', () => {
      const tracked = expect.stringContaining(`${world.postern.baseUrl}/c/`);

      expect(links).toEqual([tracked, tracked, 'mailto:help@shop.test', 'tel:+4912345', '#part']);
    });

    it('does not change the links of the plain text', async () => {
      const { text } = await PostalMime.parse((await world.mailTo('clicker@customers.test')).raw);

      expect(text).toContain('https://shop.test/order?a=1&b=2#top');
    });

    it('redirects to the link with 302 and reports the followed URL', async () => {
      const { status, headers } = await visit(links[0] as string);
      expect([status, headers.get('location')]).toEqual([302, 'https://shop.test/order?a=1&b=2#top']);

      const event = await clicking.event('clicked', id);
      expect(event.to).toBe('clicker@customers.test');
      expect(event.data).toMatchObject({ url: 'https://shop.test/order?a=1&b=2#top' });
    });

    it.each([
      ['a forged token', () => forgedFrom(links[0] as string)],
      ['a token cut short', () => (links[0] as string).slice(0, -10)],
      [
        'a target of one’s own',
        () => `${world.postern.baseUrl}/c/${Buffer.from('https://evil.test/').toString('base64url')}`,
      ],
      ['a target in the query', () => `${forgedFrom(links[0] as string)}?url=https://evil.test/`],
      ['the token of a pixel', () => `${world.postern.baseUrl}/c/${pixelIn(html).split('/').at(-1)}`],
    ])('%s gets 404', async (_, url) => {
      const { status, headers } = await visit(url());

      expect([status, headers.get('location')]).toEqual([404, null]);
    });
  });
});

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const MAIL = {
  from: 'Shop <orders@shop.test>',
  to: ['ada@customers.test'],
  subject: 'Your receipt',
  message: '<html><body><p>You paid <b>42 €</b>.</p></body></html>',
};

const sent = async (change: object, by = sender): Promise<string> => {
  const { status, body } = await by.send({ ...MAIL, ...change });
  expect(status).toBe(200);
  return body['id'] as string;
};

const htmlTo = async (address: string, subject = MAIL.subject) =>
  (await PostalMime.parse((await world.mailTo(address, mail => mail.subject === subject)).raw)).html ?? '';

const pixelIn = (html: string) => /<img[^>]+src="([^"]+)"/.exec(html)?.[1] ?? 'no pixel';

const linksIn = (html: string) =>
  [...html.matchAll(/href=["']([^"']+)["']/g)].map(([, url]) => String(url).replaceAll('&amp;', '&'));

const forgedFrom = (url: string) => url.replace(/[A-Za-z0-9_-](?=[^/]{8}$)/, one => (one === 'A' ? 'B' : 'A'));

const visit = (url: string, userAgent = BROWSER) =>
  fetch(url, { headers: { 'user-agent': userAgent }, redirect: 'manual' });

const eventsOf = (emailId: string) =>
  sender.receiver.requests
    .map(({ body }) => JSON.parse(body.toString('utf8')) as WebhookEvent)
    .filter(({ email_id }) => email_id === emailId);

const statsToday = ({ path }: Sender) => {
  const today = new Date().toISOString().slice(0, 10);
  return world.dashboard.get(`${path}/stats?from=${today}&to=${today}`);
};
