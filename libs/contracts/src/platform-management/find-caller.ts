import { z } from 'zod';
import { requestsOf } from '../request.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** What a request identifies its caller by: an address, or a secret whose SHA-256 is stored. */
export const callerKind = z.enum([
  'email',
  'session',
  'platform_key',
  'management_key',
  'deploy_hook',
  'invitation',
  'password_reset',
]);
export type CallerKind = z.output<typeof callerKind>;

/**
 * Whether this installation has the address or the secret, valid or not. A gateway of several cells finds the cell of a
 * caller by it. It authenticates nobody, counts no call and no attempt, and changes nothing.
 */
export const findCaller = request('find-caller', {
  request: z.object({
    kind: callerKind,
    value: z.string().max(320).describe('The address, or the SHA-256 of the secret in lower-case hex.'),
  }),
  reply: z.object({
    found: z.boolean(),
    email: z.string().optional().describe('The address of an invitation.'),
  }),
});
