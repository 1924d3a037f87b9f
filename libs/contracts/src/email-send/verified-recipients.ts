import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';
import { ofService } from './email-services.js';

const request = requestsOf('email-send');

export const verifiedRecipient = z.object({
  id,
  address: z.string(),
  status: z.enum(['awaiting_code', 'verified']),
  code_expires_at: timestamp.nullable(),
  verified_at: timestamp.nullable(),
  created_at: timestamp,
});
export type VerifiedRecipient = z.output<typeof verifiedRecipient>;

/** Sends a 6-digit code that is valid for 24 hours. Adding an address that awaits its code sends a new code. */
export const addVerifiedRecipient = request('add-verified-recipient', {
  request: ofService.extend({ address: z.string().min(1).max(320) }),
  reply: verifiedRecipient,
  refusals: {
    service_not_found: 404,
    invalid_input: 400,
    recipient_exists: 409,
    recipient_opted_out: 409,
    too_many_codes: 429,
    relay_unavailable: 503,
  },
  http: {
    operation: 'VerifiedRecipients.add',
    method: 'POST',
    path: '/email-services/{service_id}/recipients',
    access: 'session',
    status: 201,
    summary: 'Add a recipient and send them a 6-digit code',
  },
  deadlineMs: 30_000,
});

export const verifyRecipient = request('verify-recipient', {
  request: ofService.extend({ recipient_id: id, code: z.string().regex(/^\d{6}$/, 'must be 6 digits') }),
  reply: verifiedRecipient,
  refusals: {
    service_not_found: 404,
    recipient_not_found: 404,
    code_wrong: 400,
    code_expired: 400,
    too_many_attempts: 429,
  },
  http: {
    operation: 'VerifiedRecipients.verify',
    method: 'POST',
    path: '/email-services/{service_id}/recipients/{recipient_id}/verify',
    access: 'session',
    summary: 'Verify a recipient with their code',
  },
});

export const listVerifiedRecipients = request('list-verified-recipients', {
  request: ofService,
  reply: z.array(verifiedRecipient),
  refusals: { service_not_found: 404 },
  http: {
    operation: 'VerifiedRecipients.list',
    method: 'GET',
    path: '/email-services/{service_id}/recipients',
    access: 'session',
    summary: 'List verified recipients and those awaiting their code',
  },
});

export const removeVerifiedRecipient = request('remove-verified-recipient', {
  request: ofService.extend({ recipient_id: id }),
  reply: noContent,
  refusals: { service_not_found: 404, recipient_not_found: 404 },
  http: {
    operation: 'VerifiedRecipients.remove',
    method: 'DELETE',
    path: '/email-services/{service_id}/recipients/{recipient_id}',
    access: 'session',
    summary: 'Delete a recipient; they stop receiving sandbox mail immediately',
  },
});

/** Adds the login address of the user, which needs no code because its ownership is known. */
export const preAddRecipient = request('pre-add-recipient', {
  request: ofService.extend({ address: z.string().min(1).max(320) }),
  reply: verifiedRecipient,
  refusals: { service_not_found: 404, invalid_input: 400, recipient_exists: 409 },
  http: {
    operation: 'VerifiedRecipients.addMyself',
    method: 'POST',
    path: '/email-services/{service_id}/recipients/me',
    access: 'session',
    status: 201,
    summary: 'Add your own login address, which needs no code',
    fromCaller: { address: 'email' },
  },
});
