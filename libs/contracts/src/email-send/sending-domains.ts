import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';
import { ofService } from './email-services.js';

const request = requestsOf('email-send');

export const dnsRecord = z.object({
  purpose: z.enum(['spf', 'dkim', 'dmarc']),
  type: z.literal('TXT'),
  name: z.string(),
  value: z.string().describe('The value to publish.'),
  found: z.array(z.string()).nullable().describe('The values found at the last check; null before the first one.'),
  ok: z.boolean(),
  problem: z.string().nullable(),
});
/** A record that improves a domain without being required for its verification. */
export const optionalDnsRecord = dnsRecord.extend({
  purpose: z.enum(['dkim_ed25519', 'return_path']),
  type: z.enum(['TXT', 'CNAME']),
});
export type OptionalDnsRecord = z.output<typeof optionalDnsRecord>;
export type DnsRecord = z.output<typeof dnsRecord>;

export const sendingDomain = z.object({
  id,
  domain: z.string(),
  status: z.enum(['pending', 'verified', 'records_lost']),
  records: z.array(dnsRecord).describe('The records that the domain needs to be verified.'),
  optional_records: z
    .array(optionalDnsRecord)
    .optional()
    .describe(
      'A second DKIM key (Ed25519) and a return path below the domain, for SPF alignment; used once found. Absent from the release before.',
    ),
  last_checked_at: timestamp.nullable(),
  next_check_at: timestamp
    .optional()
    .describe('When Postern checks the records again. Absent from the release before.'),
  verified_at: timestamp.nullable(),
  created_at: timestamp,
});
export type SendingDomain = z.output<typeof sendingDomain>;

const ofDomain = ofService.extend({ domain_id: id });

export const addSendingDomain = request('add-sending-domain', {
  request: ofService.extend({ domain: z.string().min(1).max(253) }),
  reply: sendingDomain,
  refusals: { service_not_found: 404, invalid_input: 400, domain_exists: 409 },
  http: {
    operation: 'SendingDomains.add',
    method: 'POST',
    path: '/email-services/{service_id}/domains',
    access: 'session',
    status: 201,
    summary: 'Add a sending domain; the reply lists the DNS records to publish',
  },
});

export const listSendingDomains = request('list-sending-domains', {
  request: ofService,
  reply: z.array(sendingDomain),
  refusals: { service_not_found: 404 },
  http: {
    operation: 'SendingDomains.list',
    method: 'GET',
    path: '/email-services/{service_id}/domains',
    access: 'session',
    summary: 'List sending domains with the state of their DNS records',
  },
});

export const getSendingDomain = request('get-sending-domain', {
  request: ofDomain,
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404 },
  http: {
    operation: 'SendingDomains.get',
    method: 'GET',
    path: '/email-services/{service_id}/domains/{domain_id}',
    access: 'session',
    summary: 'Get a sending domain',
  },
});

/** Checks the three DNS records now. */
export const verifySendingDomain = request('verify-sending-domain', {
  request: ofDomain,
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404 },
  http: {
    operation: 'SendingDomains.verify',
    method: 'POST',
    path: '/email-services/{service_id}/domains/{domain_id}/verify',
    access: 'session',
    summary: 'Check the DNS records now',
  },
  deadlineMs: 20_000,
});

/** Starts a rotation: adds a selector with a new key, which signs as soon as its DNS record is found. */
export const rotateDkimKey = request('rotate-dkim-key', {
  request: ofDomain,
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404, rotation_under_way: 409 },
  http: {
    operation: 'SendingDomains.rotate',
    method: 'POST',
    path: '/email-services/{service_id}/domains/{domain_id}/rotate',
    access: 'session',
    summary: 'Start a rotation of the DKIM key',
  },
});

export const removeSendingDomain = request('remove-sending-domain', {
  request: ofDomain,
  reply: noContent,
  refusals: { service_not_found: 404, domain_not_found: 404 },
  http: {
    operation: 'SendingDomains.remove',
    method: 'DELETE',
    path: '/email-services/{service_id}/domains/{domain_id}',
    access: 'session',
    summary: 'Delete a sending domain',
  },
});
