import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { getEmailContent, Refusal } from '@postern/contracts';
import { callDashboard, knowSession } from '../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const PATH = `/email-services/${ID}/emails/${ID}/preview`;
const HTML = '<meta http-equiv="Content-Security-Policy" content="script-src *"><script>alert(1)</script><p>Hello</p>';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

it('The preview of a message is a page without scripts and without an origin, which loads images over HTTPS only', async () => {
  knowSession(gateway.services);
  const content = { html: HTML, text: null, headers: {}, attachments: [], raw: '' };
  gateway.services.on(getEmailContent, () => content);
  const { status, headers, text } = await callDashboard(gateway, 'GET', PATH);
  expect([status, headers['content-type'], text]).toEqual([200, 'text/html; charset=utf-8', `<!doctype html>${HTML}`]);
  const directives = String(headers['content-security-policy']).split('; ');
  expect(directives).toEqual(
    expect.arrayContaining(['sandbox', "default-src 'none'", 'img-src https: data:', "frame-ancestors 'self'"]),
  );
  expect(directives.filter(directive => directive.startsWith('script-src'))).toEqual([]);
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['x-content-type-options']).toBe('nosniff');
});

it('The preview of a message whose content is deleted is refused', async () => {
  knowSession(gateway.services);
  gateway.services.on(getEmailContent, () => {
    throw new Refusal('content_deleted', 'the content of this message is no longer stored', {}, 410);
  });
  expect((await callDashboard(gateway, 'GET', PATH)).status).toBe(410);
});
