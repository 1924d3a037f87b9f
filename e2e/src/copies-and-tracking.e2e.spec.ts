/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */

import { describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { verifiedSignatures } from './dkim.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');
await world.dashboard.patch(sender.path, { click_tracking: true });

const HTML = '<html><body><p>See <a href="https://shop.test/order?a=1&amp;b=2">your order</a>.</p></body></html>';
const NEWS = { from: 'Shop <orders@shop.test>', to: ['ada@customers.test'], subject: 'Your order', message: HTML };

const htmlTo = async (address: string, subject = NEWS.subject) =>
  (await PostalMime.parse((await world.mailTo(address, mail => mail.subject === subject)).raw)).html ?? '';

const urlIn = (html: string, pattern: RegExp) => pattern.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
const pixelIn = (html: string) => urlIn(html, /<img[^>]+src="([^"]+)"/);
const linkIn = (html: string) => urlIn(html, /<a href="([^"]+)"/);

const visit = (url: string, userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0') =>
  fetch(url, { headers: { 'user-agent': userAgent }, redirect: 'manual' });

describe('every recipient', () => {
  it('in to, cc and bcc gets a copy, and no copy reveals bcc', async () => {
    const subject = 'Copies';
    await sender.send({
      ...NEWS,
      subject,
      to: ['to@customers.test'],
      cc: ['cc@customers.test'],
      bcc: ['bcc@customers.test'],
    });
    for (const address of ['to@customers.test', 'cc@customers.test', 'bcc@customers.test']) {
      const { raw } = await world.mailTo(address, mail => mail.subject === subject);
      expect(raw).toMatch(/^To: to@customers\.test/m);
      expect(raw).toMatch(/^Cc: cc@customers\.test/m);
      expect(raw).not.toMatch(/^bcc:|bcc@customers/im);
    }
  });

  it('named twice gets one copy', async () => {
    const twice = 'twice@customers.test';
    await sender.send({ ...NEWS, to: [twice, `Twice <${twice}>`], cc: [twice] });
    await world.mailTo(twice);
    expect(await world.mailsTo(twice)).toHaveLength(1);
  });

  it('may have a name in any script and an internationalized domain', async () => {
    const { status, body } = await sender.send({ ...NEWS, to: ['Ада Лавлейс <ada@bücher.test>'], subject: 'Привет ✓' });
    const mail = await PostalMime.parse((await world.mailTo('ada@bücher.test')).raw);

    expect({ status, mode: body['mode'] }).toEqual({ status: 200, mode: 'production' });
    expect(mail.subject).toBe('Привет ✓');
    expect(mail.to).toEqual([{ name: 'Ада Лавлейс', address: 'ada@xn--bcher-kva.test' }]);
  });

  it('sees the extra headers', async () => {
    await sender.send({ ...NEWS, to: ['tagged@customers.test'], headers: { 'X-Order': '42' } });
    expect((await world.mailTo('tagged@customers.test')).raw).toMatch(/^X-Order: 42\r$/m);
  });
});

it('every copy has a valid DKIM signature of its domain', async () => {
  await sender.send({ ...NEWS, to: ['signed@customers.test'] });
  const { raw } = await world.mailTo('signed@customers.test');
  expect(await verifiedSignatures(raw, world.postern.dns.address)).toEqual([{ result: 'pass', domain: 'shop.test' }]);
});

describe('an open', () => {
  it('fires with user agent and address when the pixel is fetched, and names its recipient', async () => {
    const { body } = await sender.send({ ...NEWS, to: ['opener@customers.test', 'other@customers.test'] });
    const pixel = await visit(pixelIn(await htmlTo('opener@customers.test')));
    const event = await sender.event('opened', body['id'] as string);

    expect(pixel.headers.get('content-type')).toBe('image/gif');
    expect(event).toMatchObject({
      to: 'opener@customers.test',
      data: { user_agent: expect.stringContaining('Firefox'), ip: expect.stringMatching(/127\.0\.0\.1|::1/) },
    });
  });

  it('is not recorded for a service with open tracking disabled', async () => {
    const quiet = await world.sender('Quiet', 'quiet.test');
    await world.dashboard.patch(quiet.path, { open_tracking: false });
    await quiet.send({ ...NEWS, from: 'a@quiet.test', to: ['quiet@customers.test'] });
    expect((await htmlTo('quiet@customers.test')).trimEnd()).toBe(HTML);
  });
});

describe('a click', () => {
  it('redirects to the link, which is not visible in the mail, and fires with the URL', async () => {
    const { body } = await sender.send({ ...NEWS, to: ['clicker@customers.test'] });
    const link = linkIn(await htmlTo('clicker@customers.test'));
    const followed = await visit(link);

    expect(link).toContain(`${world.postern.baseUrl}/c/`);
    expect(link).not.toContain('shop.test');
    expect(followed.status).toBe(302);
    expect(followed.headers.get('location')).toBe('https://shop.test/order?a=1&b=2');
    expect((await sender.event('clicked', body['id'] as string)).data).toMatchObject({
      url: 'https://shop.test/order?a=1&b=2',
    });
  });

  it('on a forged link does not redirect', async () => {
    await sender.send({ ...NEWS, to: ['victim@customers.test'] });
    const link = linkIn(await htmlTo('victim@customers.test'));
    const forged = `${link.slice(0, -3)}${link.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    const { status, headers } = await visit(forged);
    expect({ status, location: headers.get('location') }).toEqual({ status: 404, location: null });
  });
});
