import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';
import { ofService } from './email-services.js';

const request = requestsOf('email-send');

export const dnsRecord = z.object({
  purpose: z.enum(['spf', 'dkim', 'dmarc']),
  type: z.literal('TXT'),
  name: z.string(),
  value: z.string().describe('What has to stand there.'),
  found: z.array(z.string()).nullable().describe('What stood there at the last check; null before the first one.'),
  ok: z.boolean(),
  problem: z.string().nullable(),
});

export const sendingDomain = z.object({
  id,
  domain: z.string(),
  status: z.enum(['pending', 'verified', 'records_lost']),
  records: z.array(dnsRecord),
  last_checked_at: timestamp.nullable(),
  verified_at: timestamp.nullable(),
  created_at: timestamp,
});

const ofDomain = ofService.extend({ domain_id: id });

export const addSendingDomain = request('add-sending-domain', {
  request: ofService.extend({ domain: z.string().min(1).max(253) }),
  reply: sendingDomain,
  refusals: { service_not_found: 404, invalid_input: 400, domain_exists: 409 },
});

export const listSendingDomains = request('list-sending-domains', {
  request: ofService,
  reply: z.array(sendingDomain),
  refusals: { service_not_found: 404 },
});

export const getSendingDomain = request('get-sending-domain', {
  request: ofDomain,
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404 },
});

/** Looks the three records up now. */
export const verifySendingDomain = request('verify-sending-domain', {
  request: ofDomain,
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404 },
  deadlineMs: 20_000,
});

/** Starts a rotation: a second selector with a new key, used for signing once its record is found. */
export const rotateDkimKey = request('rotate-dkim-key', {
  request: ofDomain,
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404, rotation_under_way: 409 },
});

export const removeSendingDomain = request('remove-sending-domain', {
  request: ofDomain,
  reply: noContent,
  refusals: { service_not_found: 404, domain_not_found: 404 },
});
