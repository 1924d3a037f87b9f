import { domainToASCII } from 'node:url';
import type { Sender } from './world.js';

/** Sends a message whose recipient-specific fields all contain `mark`, and waits for its outcome. */
export const sendMarked = async (sender: Sender, to: string, mark: string, outcome = 'delivered'): Promise<string> => {
  const { status, body } = await sender.send(
    {
      from: 'a@shop.test',
      to: [`Person ${mark} <${to}>`],
      reply_to: [`clinic-${mark}@shop.test`],
      subject: `Results of ${mark}`,
      text: `Dear ${mark}`,
      message: `<p>Dear ${mark}</p>`,
      headers: { 'X-Case': `case-${mark}` },
    },
    { 'idempotency-key': `results-${to}` },
  );
  if (status !== 200) throw new Error(`the message was answered with ${status}: ${JSON.stringify(body)}`);
  const id = body['id'] as string;
  await sender.event(outcome, id);
  return id;
};

/** The stored form of an address. */
export const stored = (address: string): string => {
  const [local, domain = ''] = address.toLowerCase().split('@');
  return `${local}@${domainToASCII(domain)}`;
};
