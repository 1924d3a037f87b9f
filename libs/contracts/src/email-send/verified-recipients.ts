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

/** Sends a 6-digit code, valid for 24 hours. Adding an address that still awaits its code sends a new one. */
export const addVerifiedRecipient = request('add-verified-recipient', {
  request: ofService.extend({ address: z.string().min(1).max(320) }),
  reply: verifiedRecipient,
  refusals: {
    service_not_found: 404,
    invalid_input: 400,
    recipient_exists: 409,
    too_many_codes: 429,
    relay_unavailable: 503,
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
});

export const listVerifiedRecipients = request('list-verified-recipients', {
  request: ofService,
  reply: z.array(verifiedRecipient),
  refusals: { service_not_found: 404 },
});

export const removeVerifiedRecipient = request('remove-verified-recipient', {
  request: ofService.extend({ recipient_id: id }),
  reply: noContent,
  refusals: { service_not_found: 404, recipient_not_found: 404 },
});

/** For the operator's set-up of a workspace: the owner's own login address, whose ownership is already known. */
export const preAddRecipient = request('pre-add-recipient', {
  request: ofService.extend({ address: z.string().min(1).max(320) }),
  reply: verifiedRecipient,
  refusals: { service_not_found: 404, invalid_input: 400, recipient_exists: 409 },
});
