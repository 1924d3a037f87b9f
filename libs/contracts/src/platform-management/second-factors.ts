import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent } from '../shapes.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** Six digits of an authenticator, or a recovery code in any spelling. */
export const secondFactorCode = z.string().min(6).max(64);
const password = z.string().max(1024);
const recoveryCodes = z
  .array(z.string())
  .describe('Each replaces a code of the authenticator once. They are shown only in this reply.');

/** The number of recovery codes of a user. */
export const RECOVERY_CODES = 10;

export const getSecondFactor = request('get-second-factor', {
  request: z.object({ user_id: id }),
  reply: z.object({ enabled: z.boolean(), recovery_codes_left: z.int() }),
  http: {
    operation: 'SecondFactor.get',
    method: 'GET',
    path: '/me/second-factor',
    access: 'session',
    withoutSecondFactor: true,
    summary: 'Get the status of two-factor authentication',
  },
});
export type SecondFactor = z.output<typeof getSecondFactor.reply>;

/** A second request replaces a secret that was not confirmed. */
export const startSecondFactor = request('start-second-factor', {
  request: z.object({ user_id: id, password }),
  reply: z.object({
    secret: z.string().describe('In base32.'),
    uri: z.string().describe('An `otpauth:` URI, for a QR code.'),
  }),
  refusals: { credentials_wrong: 401, too_many_attempts: 429, second_factor_enabled: 409 },
  http: {
    operation: 'SecondFactor.start',
    method: 'POST',
    path: '/me/second-factor',
    access: 'session',
    role: 'viewer',
    withoutSecondFactor: true,
    status: 201,
    summary: 'Start the setup of two-factor authentication (TOTP, RFC 6238)',
    description: 'It takes effect when it is confirmed with a code within an hour.',
  },
  deadlineMs: 10_000,
});

export const confirmSecondFactor = request('confirm-second-factor', {
  request: z.object({ user_id: id, token_hash: z.string(), code: secondFactorCode }),
  reply: z.object({ recovery_codes: recoveryCodes }),
  refusals: {
    credentials_wrong: 401,
    too_many_attempts: 429,
    second_factor_enabled: 409,
    second_factor_not_started: 409,
  },
  http: {
    operation: 'SecondFactor.confirm',
    method: 'POST',
    path: '/me/second-factor/confirm',
    access: 'session',
    role: 'viewer',
    withoutSecondFactor: true,
    fromCaller: { token_hash: 'tokenHash' },
    summary: 'Confirm two-factor authentication with a code from the authenticator app',
    description: 'Ends your other sessions.',
  },
});

export const renewRecoveryCodes = request('renew-recovery-codes', {
  request: z.object({ user_id: id, password, code: secondFactorCode }),
  reply: z.object({ recovery_codes: recoveryCodes }),
  refusals: { credentials_wrong: 401, too_many_attempts: 429, second_factor_not_enabled: 409 },
  http: {
    operation: 'SecondFactor.renewRecoveryCodes',
    method: 'POST',
    path: '/me/second-factor/recovery-codes',
    access: 'session',
    role: 'viewer',
    summary: 'Replace your recovery codes',
  },
  deadlineMs: 10_000,
});

export const disableSecondFactor = request('disable-second-factor', {
  request: z.object({ user_id: id, password, code: secondFactorCode }),
  reply: noContent,
  refusals: { credentials_wrong: 401, too_many_attempts: 429, second_factor_not_enabled: 409 },
  http: {
    operation: 'SecondFactor.disable',
    method: 'POST',
    path: '/me/second-factor/disable',
    access: 'session',
    role: 'viewer',
    summary: 'Turn off two-factor authentication',
  },
  deadlineMs: 10_000,
});

export const removeSecondFactor = request('remove-second-factor', {
  request: z.object({ actor_id: id, id }),
  reply: noContent,
  refusals: { not_an_operator: 403, user_not_found: 404, second_factor_not_enabled: 409 },
  http: {
    operation: 'Users.removeSecondFactor',
    method: 'DELETE',
    path: '/users/{id}/second-factor',
    access: 'operator',
    summary: 'Turn off two-factor authentication for a user who lost access to it (operators only)',
    description: 'They can then sign in with only their password. They are notified by email.',
  },
});
