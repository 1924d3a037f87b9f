import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { CUSTOM_DOMAIN } from './examples.js';
import { deletion } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

/** Custom domains of one web service. */
export const DOMAINS_PER_WEB_SERVICE = 50;

export const customDomain = z.object({
  id: id.describe('Id of the custom domain.'),
  domain: z.string().describe('Lower case; names in other scripts as A-labels.'),
  status: z.enum(['pending', 'verified']).describe('Requests are routed once it is `verified`.'),
  target: z.string().describe('The target of the CNAME record of the domain.'),
  txt: z
    .object({
      name: z.string().describe('Name of the TXT record.'),
      value: z.string().describe('Value of the TXT record.'),
    })
    .describe('A TXT record that also proves ownership, for domains that cannot have a CNAME record.'),
  message: z.string().nullable().describe('What the last check found; null before it.'),
  created_at: timestamp.describe('When the domain was added.'),
  verified_at: timestamp.nullable().describe('When it was verified; null before.'),
  certificate: z
    .object({
      valid_until: timestamp.nullable().describe('When it ends; null if there is none.'),
      error: z.string().nullable().describe('Why browsers refuse it; null if they do not.'),
      checked_at: timestamp.describe('When Postern checked it; it does so each hour.'),
    })
    .nullable()
    .optional()
    .describe(
      'The certificate for HTTPS. Null before the first check, and if the installation does not check certificates.',
    ),
});
export type CustomDomain = z.output<typeof customDomain>;

const path = '/web-services/{web_service_id}/domains';
const ofDomain = ofWebService.extend({ domain_id: id.describe('Id of the custom domain.') });

export const addCustomDomain = request('add-custom-domain', {
  request: ofWebService.extend({
    domain: z.string().trim().min(1).max(255).describe('A host name such as shop.example.com.'),
  }),
  reply: customDomain,
  refusals: {
    web_service_not_found: 404,
    invalid_input: 400,
    domain_exists: 409,
    too_many_domains: 409,
    quota_reached: 409,
    runtime_unavailable: 503,
  },
  http: {
    operation: 'CustomDomains.create',
    method: 'POST',
    path,
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Add a custom domain to a web service',
    examples: {
      body: { domain: 'shop.example.com' },
      reply: {
        id: '01977f4e-5d3a-7c2b-9f10-2f6b1c8d4e5f',
        domain: 'shop.example.com',
        status: 'pending',
        target: 'web-2f6b1c8d.apps.example.net',
        txt: { name: '_postern.shop.example.com', value: 'postern-verification=3q2-7w' },
        message: null,
        created_at: '2026-06-17T09:30:00.000Z',
        verified_at: null,
      },
    },
    description:
      'Create the CNAME record, or the TXT record, and then verify. Requests for the domain are routed to the web service once it is verified.',
  },
});

export const listCustomDomains = request('list-custom-domains', {
  request: ofWebService,
  reply: z.array(customDomain),
  refusals: { web_service_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'CustomDomains.list',
    method: 'GET',
    path,
    access: ['platform-key', 'session'],
    summary: 'List the domains of a web service',
    description: 'Includes domains that are not verified yet.',
    examples: { reply: [CUSTOM_DOMAIN] },
  },
});

/** A domain of another web service moves only if that web service can no longer prove it. */
export const verifyCustomDomain = request('verify-custom-domain', {
  request: ofDomain,
  reply: customDomain,
  refusals: {
    web_service_not_found: 404,
    domain_not_found: 404,
    domain_taken: 409,
    dns_unavailable: 503,
    runtime_unavailable: 503,
  },
  http: {
    operation: 'CustomDomains.verify',
    method: 'POST',
    path: `${path}/{domain_id}/verify`,
    access: ['platform-key', 'session'],
    summary: 'Check the DNS records of a domain; if one of them is found, the domain is verified and routed',
    description: 'Looks up the DNS records of the domain. Poll it after you have added them.',
    examples: { reply: { ...CUSTOM_DOMAIN, status: 'verified', verified_at: CUSTOM_DOMAIN.created_at } },
  },
  deadlineMs: 30_000,
});

export const removeCustomDomain = request('remove-custom-domain', {
  request: ofDomain,
  reply: deletion,
  refusals: { web_service_not_found: 404, domain_not_found: 404 },
  http: {
    operation: 'CustomDomains.remove',
    method: 'DELETE',
    path: `${path}/{domain_id}`,
    access: ['platform-key', 'session'],
    summary: 'Delete a domain; other web services can use it immediately',
    description: 'Requests to this host name are no longer routed.',
    examples: { reply: { id: CUSTOM_DOMAIN.id, deleted: true } },
  },
});

/** Whether a TLS proxy may get a certificate for a host name: a verified domain, or the host of a web service. */
export const askCertificate = requestsOf('platform-management', ['api-gateway'])('ask-certificate', {
  request: z.object({ domain: z.string().max(255) }),
  reply: z.object({ verified: z.boolean() }),
});
