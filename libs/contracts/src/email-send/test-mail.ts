import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';

const request = requestsOf('email-send');

/** For operators, to their own address. */
export const sendTestMail = request('send-test-mail', {
  request: z.object({ actor_id: id, address: z.string().max(320) }),
  reply: z.object({
    to: z.string(),
    result: z
      .enum(['accepted', 'refused', 'not_sent', 'unknown'])
      .describe('`accepted`: the mail server has taken the message. `unknown`: it may have.'),
    response: z.string().describe('The response of the mail server, or why there is none.'),
  }),
  http: {
    operation: 'System.sendTestMail',
    method: 'POST',
    path: '/system/test-mail',
    access: 'operator',
    fromCaller: { address: 'email' },
    bodyOptional: true,
    summary: 'Send a test message to yourself (operators only)',
    description:
      'The message goes through the mail server of the installation, from the sandbox domain, to the address of the operator. The response of the mail server is returned.',
  },
  deadlineMs: 30_000,
});
export type TestMail = z.output<typeof sendTestMail.reply>;
