import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admitPlatformCall, authenticateApiKey, authenticateSession, sendEmail } from '@postern/contracts';
import fc from 'fast-check';
import { ALL_REQUESTS } from '../../../testing/fake-services.js';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { call } from '../../../testing/http.js';
import { bearer, REPORTED_KEY } from '../../../testing/platform-call.js';
import { replyOf } from '../../../testing/replies.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
  for (const contract of ALL_REQUESTS) gateway.services.on(contract, () => replyOf(contract));
  gateway.services.on(authenticateApiKey, () => ({ service_id: ID }));
  gateway.services.on(admitPlatformCall, () => ({
    caller: { user_id: ID, workspace_id: ID, key: REPORTED_KEY },
    rate_limit: null,
  }));
  gateway.services.on(authenticateSession, () => ({
    user_id: ID,
    email: 'a@b.c',
    operator: true,
    role: 'owner' as const,
    workspace_id: ID,
  }));
});
afterAll(() => gateway.stop());

const headers = { 'api-key': `em_live_${'a'.repeat(43)}`, ...bearer };

const text = fc.oneof(
  fc.string({ unit: fc.nat(0x10ffff).map(String.fromCodePoint) }),
  fc.constantFrom('a@b.c', '\0', '\ud800', '__proto__', 'constructor', 'toString', ''),
);
const value = fc.oneof(fc.jsonValue(), text, fc.array(text), fc.dictionary(text, text), fc.constant(1e308 * 10));
const FIELDS = ['from', 'to', 'cc', 'bcc', 'reply_to', 'subject', 'message', 'text', 'headers', 'name', '__proto__'];
/** Built as text, because `JSON.stringify` drops what an attacker could send: `__proto__` and duplicate keys. */
const nearlyAnEmail = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), text), value))
  .map(fields => `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${JSON.stringify(field)}`).join(',')}}`);
const body = fc.oneof(
  nearlyAnEmail,
  fc.json(),
  fc.string(),
  fc.uint8Array().map(bytes => Buffer.from(bytes)),
);

describe('any body', () => {
  it.each([
    ['POST', '/emails', 200],
    ['POST', '/dashboard/api/email-services', 201],
    ['PATCH', `/dashboard/api/email-services/${ID}`, 200],
    ['POST', `/dashboard/api/email-services/${ID}/webhooks`, 201],
    ['POST', '/api/v1/projects', 201],
    ['POST', '/api/v1/web-services', 201],
    ['POST', `/api/v1/web-services/${ID}/deployments`, 202],
    ['PUT', `/api/v1/web-services/${ID}/env/bulk`, 200],
    ['POST', `/dashboard/api/web-services/${ID}/suspend`, 200],
  ])(
    '%s %s results in success or a 400 with one sentence, never in an internal error',
    async (method, path, success) => {
      await fc.assert(
        fc.asyncProperty(body, async sent => {
          const answer = await call(method, `${gateway.url}${path}`, {
            body: sent,
            headers: { ...headers, 'content-type': 'application/json' },
          });
          if (answer.status === success) return;
          const property = path.startsWith('/api/v1/') ? 'detail' : 'error';
          expect([answer.status, answer.body]).toEqual([400, { [property]: expect.any(String) }]);
        }),
        { numRuns: 150 },
      );
    },
  );

  it('reaches services only as well-formed text', () => {
    for (const request of gateway.services.requestsOf(sendEmail)) {
      const sent = JSON.stringify(request.email);
      expect(sent).not.toContain('\\u0000');
      expect(sent).not.toMatch(/\\ud[89a-f]/);
    }
  });
});
