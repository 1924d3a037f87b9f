import { describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import { createTransport } from 'nodemailer';
import { sharedWorld } from './stories.js';
import type { WebhookEvent } from './world.js';

/** Simulates any external mail system that sends notifications to the bounce domain. */

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');
const postman = createTransport({ host: '127.0.0.1', port: world.postern.wiring.bouncePort, ignoreTLS: true });

describe('delivered', () => {
  it.each([
    ['delivered', '250 2.1.5 delivered to mailbox'],
    ['relayed', '250 2.0.0 accepted by a host that sends no notifications'],
    ['expanded', '250 2.0.0 forwarded to the members of a list'],
  ])('fires for Action: %s, with the receiving server’s reply', async (action, reply) => {
    const id = await send(`${action}@simulator.test`);

    expect(await sender.event('delivered', id)).toEqual({
      ...COMMON,
      event: 'delivered',
      email_id: id,
      service_id: sender.serviceId,
      to: `${action}@simulator.test`,
      data: { smtp_response: reply },
    });
  });

  it('fires once, even if several notifications arrive', async () => {
    const id = await send('repeated@customers.test');
    await sender.event('delivered', id);
    const { envelope_from } = await world.mailTo('repeated@customers.test');
    for (let n = 0; n < 3; n++) await postman.sendMail(notification(envelope_from, 'repeated@customers.test', RELAYED));
    await untilEarlierMailIsProcessed();

    expect(eventsOf(id)).toEqual(['delivered']);
  });

  it('does not fire while a message is delayed', async () => {
    const id = await send('slow@simulator.test');
    await eventually(async () => expect(await timelineOf(id)).toContain('delayed'));
    expect(eventsOf(id)).toEqual([]);

    await sender.event('delivered', id);
    expect(eventsOf(id)).toEqual(['delivered']);
  });
});

describe('bounced', () => {
  it.each([
    ['hard', 'an invalid address', '5.1.1', '550 5.1.1 unknown user'],
    ['hard', 'a domain that does not exist', '5.1.2', '550 5.1.2 no such domain'],
    ['hard', 'a domain that takes no mail', '5.1.10', '556 5.1.10 null MX'],
    ['hard', 'a disabled mailbox', '5.2.1', '550 5.2.1 mailbox disabled'],
    ['soft', 'a full mailbox', '5.2.2', '552 5.2.2 mailbox full'],
    ['soft', 'a server that is down', '4.4.1', '421 4.4.1 connection timed out'],
    ['soft', 'a message that is too big', '5.3.4', '552 5.3.4 message too big'],
    ['soft', 'the reputation of the sender', '5.7.1', '554 5.7.1 blocked by a list'],
    ['soft', 'an expiry after delays', '4.4.7', 'delivery time expired'],
  ])('%s: %s', async (type, what, status, reply) => {
    const address = `${what.replaceAll(' ', '-')}@customers.test`;
    const id = await send(address);
    const { envelope_from } = await world.mailTo(address);
    await postman.sendMail(notification(envelope_from, address, { action: 'failed', status, reply }));

    expect(await sender.event('bounced', id)).toEqual({
      ...COMMON,
      event: 'bounced',
      email_id: id,
      service_id: sender.serviceId,
      to: address,
      data: { bounce_type: type, reason: expect.stringContaining(reply) },
    });
  });

  it('does not change the record, which keeps the result of the handover to the relay', async () => {
    const id = await send('hard-bounce@simulator.test');
    const before = (await sender.get(id)).body;
    await sender.event('bounced', id);

    expect((await sender.get(id)).body).toEqual(before);
    expect(Object.keys(before).sort()).toEqual(['from', 'id', 'message', 'mode', 'status', 'to']);
  });
});

describe('complained', () => {
  it('fires after the delivery, with the report’s type and the reporter', async () => {
    const id = await send('complaint@simulator.test');
    const event = await sender.event('complained', id);

    expect(event).toEqual({
      ...COMMON,
      event: 'complained',
      email_id: id,
      service_id: sender.serviceId,
      to: 'complaint@simulator.test',
      data: { source: expect.stringMatching(/^abuse \S+/) },
    });
    // Calls of an endpoint are concurrent, so the timestamps define the order.
    const delivered = await sender.event('delivered', id);
    expect(String(delivered['timestamp']) <= String(event['timestamp'])).toBe(true);
    expect(eventsOf(id).toSorted()).toEqual(['complained', 'delivered']);
  });
});

describe('external mail to the bounce listener', () => {
  it('a return path without a valid signature is refused', async () => {
    const id = await send('target@customers.test');
    await sender.event('delivered', id);
    const { envelope_from } = await world.mailTo('target@customers.test');
    const forged = envelope_from.replace(/.(?=.{4}@)/, letter => (letter === 'a' ? 'b' : 'a'));

    await expect(postman.sendMail(notification(forged, 'target@customers.test', FAILED))).rejects.toMatchObject({
      responseCode: 550,
    });
    await untilEarlierMailIsProcessed();
    expect(eventsOf(id)).toEqual(['delivered']);
  });

  it('mail to any other domain is not relayed', async () => {
    await expect(postman.sendMail(notification('victim@elsewhere.test', 'x@y.test', FAILED))).rejects.toMatchObject({
      responseCode: 550,
      response: expect.stringContaining('relay'),
    });
  });

  it('a reply of a person, and a notification without the null sender, change nothing', async () => {
    const id = await send('replier@customers.test');
    await sender.event('delivered', id);
    const { envelope_from } = await world.mailTo('replier@customers.test');
    await postman.sendMail({
      from: 'replier@customers.test',
      to: envelope_from,
      subject: 'Re: failed',
      text: '550 5.1.1',
    });
    const posing = notification(envelope_from, 'replier@customers.test', FAILED);
    await postman.sendMail({ ...posing, envelope: { ...posing.envelope, from: 'eve@evil.test' } });
    await untilEarlierMailIsProcessed();

    expect(eventsOf(id)).toEqual(['delivered']);
  });
});

const MAIL = { from: 'Shop <orders@shop.test>', subject: 'Your receipt', text: 'Thanks.' };
const COMMON = {
  from: 'Shop <orders@shop.test>',
  subject: 'Your receipt',
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
};
const FAILED = { action: 'failed', status: '5.1.1', reply: '550 5.1.1 unknown user' };
const RELAYED = { action: 'relayed', status: '2.0.0', reply: '250 2.0.0 taken' };

const send = async (to: string): Promise<string> => {
  const { status, body } = await sender.send({ ...MAIL, to: [to] });
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'sent' } });
  return body['id'] as string;
};

const eventsOf = (emailId: string) =>
  sender.receiver.requests
    .map(({ body }) => JSON.parse(body.toString('utf8')) as WebhookEvent)
    .filter(({ email_id }) => email_id === emailId)
    .map(({ event }) => event);

const timelineOf = async (emailId: string) => {
  const { timeline } = await world.dashboard.get<{ timeline: { kind: string }[] }>(`${sender.path}/emails/${emailId}`);
  return timeline.map(({ kind }) => kind);
};

/** Waits until earlier mail has been processed: the event of a message sent afterwards has arrived. */
const untilEarlierMailIsProcessed = async () => {
  await sender.event('delivered', await send('afterwards@customers.test'));
};

/** A delivery status notification (RFC 3464) in the usual form of mail systems. */
const notification = (to: string, recipient: string, report: { action: string; status: string; reply: string }) => ({
  envelope: { from: '', to: [to] },
  raw: [
    'From: Mail Delivery System <MAILER-DAEMON@mx.elsewhere.test>',
    `To: <${to}>`,
    'Subject: Delivery Status Notification',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'This is what became of your message.',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.elsewhere.test',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${report.action}`,
    `Status: ${report.status}`,
    `Diagnostic-Code: smtp; ${report.reply}`,
    '',
    '--b--',
    '',
  ].join('\r\n'),
});
