import { z } from 'zod';
import { requestsOf } from '../request.js';
import { noContent } from '../shapes.js';

const request = requestsOf('email-send');

/** Opts the mailbox of a link out of verification codes, for every service and permanently. May be repeated. */
export const optOutOfCodes = request('opt-out-of-codes', {
  request: z.object({ token: z.string().min(1).max(200).describe('From the link in a mail with a code.') }),
  reply: noContent,
  refusals: { link_invalid: 404 },
  callers: ['api-gateway'],
});

/** For operators: the number of mailboxes that refuse verification codes. */
export const countCodeOptOuts = request('count-code-opt-outs', {
  request: noContent,
  reply: z.object({ count: z.int() }),
  callers: ['operator'],
});

/** For operators: the mailbox of the address accepts verification codes again. */
export const removeCodeOptOut = request('remove-code-opt-out', {
  request: z.object({ address: z.string().min(3).max(320) }),
  reply: z.object({ removed: z.boolean().describe('False if the mailbox was not on the list.') }),
  refusals: { invalid_input: 400 },
  callers: ['operator'],
});
