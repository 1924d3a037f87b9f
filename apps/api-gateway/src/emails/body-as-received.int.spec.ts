import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sendEmail } from '@postern/contracts';
import { connectNats } from '@postern/messaging';
import { eventually } from '@postern/testing';
import { acceptEmails, EMAIL, postEmail } from '../testing/email-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => acceptEmails(gateway.services));

const post = (body: string) => postEmail(gateway, body);

describe('The gateway', () => {
  it.each([
    ['with white space', JSON.stringify(EMAIL, null, 2), {}],
    ['with escapes', JSON.stringify(EMAIL).replace('"from"', '"\\u0066rom"'), {}],
    ['with a field that occurs twice', `{"subject":"first",${JSON.stringify(EMAIL).slice(1)}`, {}],
    ['with bytes of UTF-8', JSON.stringify({ ...EMAIL, subject: 'Grüße 🎉 \u2028' }), { subject: 'Grüße 🎉 \u2028' }],
  ])('passes a body on %s, with its meaning', async (_, body, changed) => {
    expect(await post(body)).toMatchObject({ status: 200 });
    const [sent] = gateway.services.requestsOf(sendEmail);
    expect(sent?.email).toEqual({ ...EMAIL, cc: [], bcc: [], headers: {}, ...changed });
  });

  it('does not write the JSON of a body again', async () => {
    const link = await connectNats({ servers: gateway.nats.url, name: 'observer' });
    const seen: string[] = [];
    link.subscribe(sendEmail.subject, ({ data }) => seen.push(Buffer.from(data).toString('utf8')));
    await link.nc.flush();
    const body = JSON.stringify({ ...EMAIL, subject: 'Grüße 🎉' }, null, 2);
    expect(await post(body)).toMatchObject({ status: 200 });
    await eventually(() => expect(seen).toEqual([expect.stringContaining(`"email":${body}}}]`)]));
    await link.close();
  });

  it('passes on no variable of a template that is beyond the numbers', async () => {
    const body =
      '{"from":"a@shop.test","to":["ada@example.com"],"template":{"name":"x","variables":{"a":1e400,"b":2}}}';
    expect(await post(body)).toMatchObject({ status: 200 });
    const [sent] = gateway.services.requestsOf(sendEmail);
    expect(sent?.email.template).toEqual({ name: 'x', variables: { a: null, b: 2 } });
  });
});
