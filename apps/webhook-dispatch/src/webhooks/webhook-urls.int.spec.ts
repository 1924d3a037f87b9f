import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWebhook, listWebhooks, updateWebhook } from '@postern/contracts';
import { DispatchFixture } from '../testing/dispatch-fixture.js';

describe('a new webhook', () => {
  let world: DispatchFixture;

  beforeAll(async () => {
    world = await DispatchFixture.start({ allowPrivate: false });
  }, 60_000);

  afterAll(() => world.stop());

  it.each([
    ['an invalid URL', 'no url at all'],
    ['plain HTTP', 'http://example.com/'],
    ['this machine by name', 'https://localhost/'],
    ['this machine by address', 'https://127.0.0.1/'],
    ['a private network', 'https://10.0.0.1/'],
    ['the metadata service', 'https://169.254.169.254/latest'],
    ['an IPv6 loopback', 'https://[::1]/'],
    ['an IPv4-mapped IPv6 address', 'https://[::ffff:192.168.0.1]/'],
    ['an IPv4-compatible IPv6 address', 'https://[::127.0.0.1]/'],
    ['the platform address of Azure', 'https://168.63.129.16/'],
    ['an address written as a number', 'https://2130706433/'],
    ['a line break and a header after it', 'https://93.184.215.14/\r\nX: y'],
    ['a line break inside the host', 'https://93.184.\n215.14/'],
    ['a leading blank', ' https://93.184.215.14/'],
    ['a tab inside the scheme', 'ht\ttps://93.184.215.14/'],
    ['an encoded length over the limit', `https://93.184.215.14/${'ü'.repeat(1_000)}`],
    ['user information', 'https://user:secret@93.184.215.14/'],
    ['a name that does not exist', 'https://nobody.invalid/'],
  ])('is refused for %s', async (_, url) => {
    await expect(
      world.client.request(createWebhook, {
        service_id: randomUUID(),
        workspace_id: randomUUID(),
        url,
        events: ['delivered'],
      }),
    ).rejects.toMatchObject({ code: 'invalid_url', message: expect.stringMatching(/^url: /) });
  });

  it.each([
    ['HTTPS://93.184.215.14:443/a/../b', 'https://93.184.215.14/b'],
    ['https://1572394766/ü?q="x"', 'https://93.184.215.14/%C3%BC?q=%22x%22'],
  ])('is stored as the encoded URL: %s', async (url, called) => {
    const service_id = randomUUID();
    const created = await world.client.request(createWebhook, {
      service_id,
      workspace_id: service_id,
      url,
      events: ['delivered'],
    });
    expect(created.url).toBe(called);
    const listed = await world.client.request(listWebhooks, { service_id });
    expect(listed.map(webhook => webhook.url)).toEqual([called]);
  });

  it('is stored with the encoded URL when its URL is changed', async () => {
    const service_id = randomUUID();
    const url = 'https://93.184.215.14/first';
    const { id } = await world.client.request(createWebhook, {
      service_id,
      workspace_id: service_id,
      url,
      events: ['delivered'],
    });
    const change = (changed: string) =>
      world.client.request(updateWebhook, { service_id, webhook_id: id, changes: { url: changed } });
    await expect(change('https://93.184.215.14/second\r\n')).rejects.toMatchObject({ code: 'invalid_url' });
    expect(await change('https://93.184.215.14:443/second')).toMatchObject({ url: 'https://93.184.215.14/second' });
  });

  it('is accepted for a public HTTPS address', async () =>
    expect(
      await world.client.request(createWebhook, {
        service_id: randomUUID(),
        workspace_id: randomUUID(),
        url: 'https://93.184.215.14/events',
        events: ['delivered'],
      }),
    ).toMatchObject({ url: 'https://93.184.215.14/events' }));
});
