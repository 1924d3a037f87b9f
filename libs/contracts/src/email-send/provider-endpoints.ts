import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';

const request = requestsOf('email-send');

/** The mail providers whose events Postern understands. */
export const PROVIDER_KINDS = ['ses', 'mailgun', 'sendgrid', 'postmark', 'brevo'] as const;
export const providerKind = z.enum(PROVIDER_KINDS);
export type ProviderKind = z.output<typeof providerKind>;

/** The maximum number of endpoints of an installation. */
export const MAX_PROVIDER_ENDPOINTS = 20;

const credential = (description: string) => z.string().min(1).max(1_000).optional().describe(description);

/** What a provider proves its calls with; the kind decides which fields apply. */
const providerCredentials = z.object({
  signing_key: credential('Required for `mailgun`: the HTTP webhook signing key.'),
  public_key: credential('Required for `sendgrid`: the verification key of the signed event webhook.'),
  topic_arn: z
    .string()
    .max(300)
    .regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}(?:\.fifo)?$/, 'must be the ARN of an SNS topic')
    .optional()
    .describe('Only for `ses`: the SNS topic. Without it, the first topic whose subscription is confirmed.'),
  username: credential('Only for `postmark` and `brevo`: the user name of basic authentication, with `password`.'),
  password: credential('Only for `postmark` and `brevo`: the password of basic authentication.'),
  bearer_token: credential('Only for `brevo`: the token of its header `Authorization: Bearer`.'),
});
export type ProviderCredentials = z.output<typeof providerCredentials>;

const count = z.int().nonnegative();

export const providerEndpoint = z.object({
  id,
  kind: providerKind,
  topic_arn: z.string().nullable().describe('The SNS topic of `ses`; null until its subscription is confirmed.'),
  authentication: z
    .enum(['signature', 'basic', 'bearer', 'url'])
    .describe('What a call is checked against; `url`: only the token in the URL.'),
  events: count.describe('Events that changed the state of a message.'),
  ignored: count.describe('Events of unknown messages, and events that Postern does not use.'),
  refused: count.describe('Calls without a valid signature or credential.'),
  last_event_at: timestamp.nullable().describe('When the last call with a valid credential arrived.'),
  created_at: timestamp,
});
export type ProviderEndpoint = z.output<typeof providerEndpoint>;

const ENDPOINTS = '/provider-endpoints';
const ENDPOINT = `${ENDPOINTS}/{endpoint_id}`;
const NOT_FOUND = { provider_endpoint_not_found: 404 } as const;
const url = z.string().describe('The URL for the settings of the provider; its token is shown only in this reply.');

/** `url` is a path of the gateway here; clients receive a URL. */
export const createProviderEndpoint = request('create-provider-endpoint', {
  request: providerCredentials.extend({ kind: providerKind }),
  reply: providerEndpoint.extend({ url }),
  refusals: { invalid_input: 400, quota_reached: 409 },
  http: {
    operation: 'ProviderEndpoints.create',
    method: 'POST',
    path: ENDPOINTS,
    access: 'operator',
    status: 201,
    summary: 'Create a URL that receives the events of a mail provider (operators only)',
    description:
      'For installations whose relay is Amazon SES, Mailgun, SendGrid, Postmark or Brevo: their events become the `delivered`, `bounced` and `complained` events of the messages.',
    urlField: 'url',
  },
});

export const listProviderEndpoints = request('list-provider-endpoints', {
  request: z.object({}),
  reply: z.array(providerEndpoint),
  http: {
    operation: 'ProviderEndpoints.list',
    method: 'GET',
    path: ENDPOINTS,
    access: 'operator',
    summary: 'List the URLs for events of mail providers, without their tokens (operators only)',
  },
});

export const rotateProviderEndpoint = request('rotate-provider-endpoint', {
  request: z.object({ endpoint_id: id }),
  reply: providerEndpoint.extend({
    url,
    previous_url_until: timestamp.describe('Until then, the previous URL works as well.'),
  }),
  refusals: NOT_FOUND,
  http: {
    operation: 'ProviderEndpoints.rotate',
    method: 'POST',
    path: `${ENDPOINT}/rotate`,
    access: 'operator',
    summary: 'Replace the token in the URL; the previous URL works for 24 hours (operators only)',
    urlField: 'url',
  },
});

export const deleteProviderEndpoint = request('delete-provider-endpoint', {
  request: z.object({ endpoint_id: id }),
  reply: z.object({ id, deleted: z.literal(true) }),
  refusals: NOT_FOUND,
  http: {
    operation: 'ProviderEndpoints.remove',
    method: 'DELETE',
    path: ENDPOINT,
    access: 'operator',
    summary: 'Delete a URL for events of a mail provider; it stops working at once (operators only)',
  },
});

/** The relevant headers of providers, in lower case. */
export const PROVIDER_HEADERS = [
  'authorization',
  'x-twilio-email-event-webhook-signature',
  'x-twilio-email-event-webhook-timestamp',
] as const;

/** A call of a provider to the URL of an endpoint. May be repeated. */
export const receiveProviderEvents = request('receive-provider-events', {
  request: z.object({
    kind: providerKind,
    token: z.string().max(100),
    headers: z.partialRecord(z.enum(PROVIDER_HEADERS), z.string().max(2_000)),
    /** Base64, because signatures are over the bytes. */
    body: z.string(),
  }),
  reply: z.object({
    recorded: count.describe('Events that changed the state of a message.'),
    ignored: count.describe('Events without effect: repeated, of an unknown message, or of a kind that is not used.'),
  }),
  refusals: { ...NOT_FOUND, invalid_signature: 401, invalid_event: 400, provider_unavailable: 503 },
  callers: ['api-gateway'],
  deadlineMs: 15_000,
});
