import { describe, expect, it } from '@jest/globals';
import { Postern, PosternError } from '../index.js';

const ID = '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00';

/** URLs as a fetch sends them. */
const posternThatRecords = (key = 'ak_live_x') => {
  const urls: string[] = [];
  const postern = new Postern(key, {
    baseUrl: 'https://postern.example.com',
    fetch: async (url, { method }) => {
      urls.push(`${method} ${new URL(url).pathname}`);
      return new Response('{}');
    },
  });
  return { postern, urls };
};

describe('An id that an application was given by its users', () => {
  it.each(['.', '..', ''])('never makes a call of another route: %j', async id => {
    const { postern, urls } = posternThatRecords();
    const sender = posternThatRecords('em_live_x');
    const { environment, webServices, logs } = postern.platform;
    for (const call of [
      () => environment.delete(ID, id),
      () => environment.delete(id, ID),
      () => webServices.stop(id),
      () => sender.postern.emails.get(id),
      () => logs.follow(id).next(),
    ])
      await expect(call()).rejects.toBeInstanceOf(PosternError);
    expect([...urls, ...sender.urls]).toEqual([]);
  });

  it('stays one part of the path, whatever is in it', async () => {
    const { postern, urls } = posternThatRecords();
    await postern.platform.environment.delete(ID, '../..');
    await postern.platform.environment.delete(ID, '%2e%2e');
    await postern.platform.environment.delete(ID, 'a?b#c\\..');
    expect(urls).toEqual([
      `DELETE /api/v1/web-services/${ID}/env/..%2F..`,
      `DELETE /api/v1/web-services/${ID}/env/%252e%252e`,
      `DELETE /api/v1/web-services/${ID}/env/a%3Fb%23c%5C..`,
    ]);
  });
});

it('The fields of a change are the body of the request', async () => {
  const bodies: unknown[] = [];
  const { platform } = new Postern('ak_live_x', {
    baseUrl: 'https://postern.example.com',
    fetch: async (_url, { body }) => {
      bodies.push(JSON.parse(String(body)));
      return new Response('{}');
    },
  });
  await platform.databases.update(ID, { external_access: { enabled: true } });
  await platform.webServices.change(ID, { name: 'shop' });
  await platform.cronJobs.change(ID, ID, { name: 'nightly' });
  await platform.databases.create({ name: 'orders', kind: 'relational', plan: 'starter' });
  expect(bodies).toEqual([
    { external_access: { enabled: true } },
    { name: 'shop' },
    { name: 'nightly' },
    { name: 'orders', kind: 'relational', plan: 'starter' },
  ]);
});
