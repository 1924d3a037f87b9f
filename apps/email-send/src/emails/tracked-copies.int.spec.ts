import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Process, request, SendingFixture, TRACKING } from '../testing/sending-fixture.js';

let fixture: SendingFixture;
let process: Process;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  process = await fixture.process();
});
afterEach(() => fixture.smtp.reset());
afterAll(() => fixture.stop());

const send = (...args: Parameters<typeof request>) => process.sendEmail.execute(request(...args));
const copyFor = (address: string) =>
  fixture.smtp.nextMessage(({ to }) => to.some(recipient => recipient.address === address));

describe('a production message', () => {
  it('with open tracking has a separate pixel for each recipient', async () => {
    const { keyHash } = fixture.sender({ openTracking: true });
    const { email } = await send(keyHash, { to: ['ada@x.test', 'bob@x.test'], message: '<p>Hello</p>' });
    const pixels = (await Promise.all(['ada@x.test', 'bob@x.test'].map(copyFor))).map(({ raw }) => {
      const html = raw.toString().replace(/=\r\n/g, '').replaceAll('=3D', '=');
      return TRACKING.readOpenToken(/https:\/\/mail\.test\/o\/([\w-]+)\.gif/.exec(html)![1]!);
    });
    expect(pixels).toEqual([0, 1].map(recipientIndex => ({ emailId: email.id, recipientIndex })));
  });

  it('with click tracking has links through the gateway, and without it the original links', async () => {
    const message = '<a href="https://shop.test/order?id=1">Order</a>';
    const clicks = fixture.sender({ clickTracking: true });
    const { email } = await send(clicks.keyHash, { to: ['click@x.test'], message });
    const tracked = (await copyFor('click@x.test')).raw.toString().replace(/=\r\n/g, '').replaceAll('=3D', '=');
    expect(TRACKING.readClickToken(/https:\/\/mail\.test\/c\/([\w-]+)/.exec(tracked)![1]!)).toEqual({
      emailId: email.id,
      recipientIndex: 0,
      url: 'https://shop.test/order?id=1',
    });
    await send(fixture.sender().keyHash, { to: ['plain@x.test'], message });
    expect((await copyFor('plain@x.test')).raw.toString()).toContain('https://shop.test/order?id');
  });

  it('from a domain with a tracking host has its pixel, links and page to unsubscribe there, with the same tokens', async () => {
    const domain = { signers: [fixture.signer], trackingHost: 'click.example.com' };
    const verifiedDomains = new Map([['example.com', domain]]);
    const { keyHash } = fixture.sender({ openTracking: true, clickTracking: true, verifiedDomains });
    const body = {
      message: '<a href="https://shop.test/order">Order</a>',
      list_unsubscribe: { one_click: true },
    };
    const { email } = await send(keyHash, { to: ['host@x.test'], ...body });
    const copy = (await copyFor('host@x.test')).raw
      .toString()
      .replace(/=\r\n|\r\n /g, '')
      .replaceAll('=3D', '=');
    const tokenAt = (path: string) => new RegExp(`https://click\\.example\\.com/${path}/([\\w-]+)`).exec(copy)![1]!;
    const recipient = { emailId: email.id, recipientIndex: 0 };
    expect(TRACKING.readOpenToken(tokenAt('o'))).toEqual(recipient);
    expect(TRACKING.readClickToken(tokenAt('c'))).toEqual({ ...recipient, url: 'https://shop.test/order' });
    expect(TRACKING.readUnsubscribeToken(tokenAt('u'))).toEqual(recipient);
    expect(copy).not.toContain('https://mail.test/');
  });
});
