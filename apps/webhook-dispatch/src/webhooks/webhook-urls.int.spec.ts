import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWebhook } from '@postern/contracts';
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
    ['an address written as a number', 'https://2130706433/'],
    ['user information', 'https://user:secret@93.184.215.14/'],
    ['a name that does not exist', 'https://nobody.invalid/'],
  ])('is refused for %s', async (_, url) => {
    await expect(
      world.client.request(createWebhook, { service_id: randomUUID(), url, events: ['delivered'] }),
    ).rejects.toMatchObject({ code: 'invalid_url', message: expect.stringMatching(/^url: /) });
  });

  it('is accepted for a public HTTPS address', async () =>
    expect(
      await world.client.request(createWebhook, {
        service_id: randomUUID(),
        url: 'https://93.184.215.14/events',
        events: ['delivered'],
      }),
    ).toMatchObject({ url: 'https://93.184.215.14/events' }));
});
