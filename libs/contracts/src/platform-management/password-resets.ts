import { z } from 'zod';
import { requestsOf } from '../request.js';
import { noContent } from '../shapes.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** Of a link that was mailed: 32 random bytes as base64url. */
export const mailedToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not the token of a link');
export const newPassword = z.string().min(12, 'must have at least 12 characters').max(1024);

/** How long the link to a new password works. */
export const PASSWORD_RESET_MINUTES = 30;

/** Replies the same for every address and limit, and takes as long: a mail is sent later if there is such a user. */
export const requestPasswordReset = request('request-password-reset', {
  request: z.object({ email: z.string().max(320), ip: z.string() }),
  reply: noContent,
});

export const confirmPasswordReset = request('confirm-password-reset', {
  request: z.object({ token: mailedToken, password: newPassword }),
  reply: noContent,
  refusals: { token_invalid: 400, invalid_input: 400 },
  deadlineMs: 10_000,
});
