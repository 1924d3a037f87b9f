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
/** The host of links and pixels in messages from the domain. */
export const trackingHost = z.object({
  host: z.string().describe('The domain or a name below it; lower case, names in other scripts as A-labels.'),
  status: z
    .enum(['pending', 'verified', 'record_lost'])
    .describe(
      '`verified`: its record was found, and messages use it if the domain is verified too. `record_lost`: the record is missing or different since; messages use the host of the installation.',
    ),
  record: dnsRecord.extend({ purpose: z.literal('tracking'), type: z.literal('CNAME') }),
  verified_at: timestamp.nullable().describe('When the record was first found; null before.'),
});
export type TrackingHost = z.output<typeof trackingHost>;
export type DnsRecord = z.output<typeof dnsRecord>;

export const sendingDomain = z.object({
  id,
  domain: z.string(),
  status: z.enum(['pending', 'verified', 'records_lost']),
  records: z.array(dnsRecord).describe('The records that the domain needs to be verified.'),
  optional_records: z
    .array(optionalDnsRecord)
    .describe('A second DKIM key (Ed25519) and a return path below the domain, for SPF alignment; used once found.'),
  tracking: trackingHost
    .nullable()
    .describe('The tracking host of the domain; null if its messages use the host of the installation.'),
  last_checked_at: timestamp.nullable(),
  next_check_at: timestamp.optional().describe('When Postern checks the records again; absent if it does not.'),
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

/** Sets the tracking host, and checks its record at the next check. Setting the present one changes nothing. */
export const setTrackingHost = request('set-tracking-host', {
  request: ofDomain.extend({
    host: z.string().min(1).max(253).describe('The domain or a name below it, such as click.example.com.'),
  }),
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404, invalid_input: 400 },
  http: {
    operation: 'SendingDomains.setTrackingHost',
    method: 'PUT',
    path: '/email-services/{service_id}/domains/{domain_id}/tracking-host',
    access: 'session',
    summary: 'Set the host of links and pixels in messages from the domain',
    description:
      'The reply has the CNAME record to publish. Links and pixels of new messages use the host once the record is found. Another host replaces the present one.',
  },
});

export const removeTrackingHost = request('remove-tracking-host', {
  request: ofDomain,
  reply: sendingDomain,
  refusals: { service_not_found: 404, domain_not_found: 404 },
  http: {
    operation: 'SendingDomains.removeTrackingHost',
    method: 'DELETE',
    path: '/email-services/{service_id}/domains/{domain_id}/tracking-host',
    access: 'session',
    summary: 'Remove the tracking host; new messages use the host of the installation',
  },
});

/** Whether a host is the verified tracking host of a verified domain: only these get certificates and requests. */
export const findTrackingHost = requestsOf('email-send', ['api-gateway'])('find-tracking-host', {
  request: z.object({ host: z.string().max(255) }),
  reply: z.object({ verified: z.boolean() }),
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
