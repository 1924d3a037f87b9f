import { describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { sharedWorld } from './stories.js';
import { signatureOf } from './world.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /emails with a production service', () => {
  it('returns the email message record once the relay accepted the message', async () => {
    const { status, body } = await sender.send(RECEIPT);

    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      status: 'sent',
      mode: 'production',
      from: 'Shop <orders@shop.test>',
      to: ['ada@customers.test'],
      message: expect.any(String),
    });
  });

  it('returns the same record by id', async () => {
    const sent = await sender.send(RECEIPT);
    const fetched = await sender.get(sent.body['id'] as string);

    expect(fetched.status).toBe(200);
    expect(fetched.body).toEqual(sent.body);
  });

  it('delivers the HTML body and derives a plain-text version of it', async () => {
    await sender.send({ ...RECEIPT, to: ['bea@customers.test'] });
    const mail = await PostalMime.parse((await world.mailTo('bea@customers.test')).raw);

    expect(mail.subject).toBe(RECEIPT.subject);
    expect(mail.html).toContain('<b>42 €</b>');
    expect(mail.text).toContain('You paid 42 €.');
  });

  it('notifies the webhook that the receiving server accepted the message, signed over the raw bytes', async () => {
    const { body } = await sender.send(RECEIPT);
    const call = await sender.call('delivered', body['id'] as string);

    expect(call.headers['x-service-signature']).toBe(signatureOf(sender.webhookSecret, call));
    expect(Math.abs(Number(call.headers['x-service-timestamp']) - Date.now() / 1000)).toBeLessThan(300);
    expect(JSON.parse(call.body.toString('utf8'))).toEqual({
      event: 'delivered',
      email_id: body['id'],
      service_id: sender.serviceId,
      to: 'ada@customers.test',
      from: expect.stringContaining('orders@shop.test'),
      subject: RECEIPT.subject,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { smtp_response: expect.stringContaining('250') },
    });
  });

  it('reports a hard bounce with its type and reason', async () => {
    const { body } = await sender.send({ ...RECEIPT, to: ['hard-bounce@simulator.test'] });
    const { to, data } = await sender.event('bounced', body['id'] as string);

    expect(to).toBe('hard-bounce@simulator.test');
    expect(data).toEqual({ bounce_type: 'hard', reason: expect.stringMatching(/5\.1\.1/) });
  });

  it('reports a soft bounce when the mailbox is full', async () => {
    const { body } = await sender.send({ ...RECEIPT, to: ['soft-bounce@simulator.test'] });

    expect((await sender.event('bounced', body['id'] as string)).data).toMatchObject({ bounce_type: 'soft' });
  });

  it('reports a complaint with the source of its report', async () => {
    const { body } = await sender.send({ ...RECEIPT, to: ['complaint@simulator.test'] });

    expect((await sender.event('complained', body['id'] as string)).data).toEqual({
      source: expect.stringContaining('abuse'),
    });
  });
});

const RECEIPT = {
  from: 'Shop <orders@shop.test>',
  to: ['ada@customers.test'],
  subject: 'Your receipt',
  message: '<html><body><p>You paid <b>42 €</b>.</p></body></html>',
};
