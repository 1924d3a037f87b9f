import { z } from 'zod';
import { KIB } from '../http-route.js';
import { requestsOf } from '../request.js';
import { noContent } from '../shapes.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** The token of a mailed link: 32 random bytes as base64url. */
export const mailedToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not the token of a link');
export const newPassword = z.string().min(12, 'must have at least 12 characters').max(1024);

/** Validity of a password reset link, in minutes. */
export const PASSWORD_RESET_MINUTES = 30;

/** Reply and duration are the same for every address and limit; if the user exists, the mail is sent later. */
export const requestPasswordReset = request('request-password-reset', {
  request: z.object({ email: z.string().max(320), ip: z.string() }),
  reply: noContent,
  http: {
    operation: 'PasswordResets.request',
    method: 'POST',
    path: '/password-reset',
    access: 'anyone',
    status: 202,
    maxBodyBytes: 4 * KIB,
    fromCaller: { ip: 'clientAddress' },
    summary: 'Request a password reset link',
    description:
      'The response is the same for every address. If the address belongs to a user, a link is emailed that works once, within 30 minutes.',
  },
});

/** Also identifies the device, whose user controls the mailbox, as one that has signed in to the account before. */
export const confirmPasswordReset = request('confirm-password-reset', {
  request: z.object({ token: mailedToken, password: newPassword }),
  reply: z.object({ device_token: z.string().optional() }),
  refusals: { token_invalid: 400, invalid_input: 400 },
  deadlineMs: 10_000,
});
