import { verifyWebhook } from '@postern/sdk';
import { createTransport } from 'nodemailer';
import { demand } from '../../../../docker/check/report.mjs';
import { deliveryStatus } from '../../../../tools/mail-simulator/dist/reports.js';
import { until } from '../../control-plane.mjs';
import { mailbox, makeSender, Operator, startMailWorld, startReceiver } from '../mail-client.mjs';

export const name = 'mail';
export const title = 'a message is sent and reported, also to a webhook, from outside through the Services';

const ADDRESS = 'ann@customer.test';
const SUBJECT = `From a real kubelet ${Date.now()}`;

/** The bounce report of a server that has accepted the message but could not deliver it. */
const bounce = async ({ cluster }, { raw, envelope_from: envelopeFrom }) => {
  const { spec } = await cluster.api('GET', '/api/v1/namespaces/postern/services/delivery-tracking');
  const accepted = {
    envelopeFrom,
    raw: Buffer.from(raw),
    receivedAt: new Date(),
    envid: undefined,
    ret: undefined,
    clientAddress: '127.0.0.1',
  };
  const status = { action: /** @type {const} */ ('failed'), status: '5.1.1', reply: '550 5.1.1 no such user here' };
  const report = deliveryStatus(accepted, { address: ADDRESS, orcpt: undefined }, status, 'customer.test');
  const transport = createTransport({ host: spec.clusterIP, port: 25, secure: false, ignoreTLS: true });
  await transport.sendMail({ envelope: { from: '', to: [envelopeFrom] }, raw: report });
  transport.close();
};

/** Undefined until delivery-tracking has recorded the message. */
const outcomeOf = async ({ operator, path }, id) => {
  const found = await operator.request('GET', `${path}/emails/${id}`).catch(() => undefined);
  return found?.recipients?.[0]?.state;
};

export const run = async context => {
  await startMailWorld(context);
  const receiver = await startReceiver();
  const operator = await Operator.signIn(context);
  demand('the operator of the Secret signs in through the Service', operator.token.length > 0);
  const sender = await makeSender(operator, ADDRESS, receiver.url);
  demand('a recipient is verified by the code in the message', true);

  const answer = await sender.send(SUBJECT);
  demand('a message is accepted', answer.status === 200 && answer.body.status === 'sent', answer.text);
  let message;
  await until('the message', async () => {
    message = (await mailbox(ADDRESS)).find(({ subject }) => subject === SUBJECT);
    return message;
  });
  demand(
    'it is in the mailbox behind the relay, once',
    (await mailbox(ADDRESS)).filter(({ subject }) => subject === SUBJECT).length === 1,
  );
  await until('the state delivered', async () => (await outcomeOf(sender, answer.body.id)) === 'delivered');
  demand('the report through the Service of delivery-tracking makes it delivered', true);
  await bounce(context, message);
  await until('the state bounced', async () => (await outcomeOf(sender, answer.body.id)) === 'bounced');
  demand('a later bounce makes it bounced', true);

  const kinds = () =>
    receiver.calls
      .map(({ body }) => JSON.parse(body))
      .filter(call => call.email_id === answer.body.id)
      .map(({ event }) => event);
  await until('the webhook of the bounce', () => kinds().includes('bounced'));
  demand(
    'the webhook receives both',
    ['delivered', 'bounced'].every(kind => kinds().includes(kind)),
    kinds().join(),
  );
  for (const { headers, body } of receiver.calls) await verifyWebhook({ headers, body, secret: sender.secret });
  demand('each call has a signature that verifies', true);
  Object.assign(context.state, { operator, sender, receiver });
};
