import { z } from 'zod';
import { csvLine } from '../csv.js';
import { requestsOf } from '../request.js';
import { id, noContent, page, pageRequest, timestamp } from '../shapes.js';

const request = requestsOf('delivery-tracking', ['api-gateway']);

const SUPPRESSIONS = '/email-services/{service_id}/suppressions';
/** The maximum number of addresses that one request adds. */
export const MAX_ADDED_ADDRESSES = 1_000;

const address = z.string().min(1).max(320);
const ofService = z.object({ service_id: id });

export const suppression = z.object({
  address: z.string(),
  reason: z
    .enum(['hard_bounce', 'complaint', 'unsubscribed', 'added'])
    .describe('unsubscribed: with the link of a message. added: by a user of the dashboard.'),
  email_id: id.nullable().describe('The message that bounced, was complained about or was used to unsubscribe.'),
  at: timestamp,
});
export type Suppression = z.output<typeof suppression>;

/** Newest first. The gateway returns it as JSON. */
export const listSuppressedAddresses = request('list-suppressed-addresses', {
  request: pageRequest.extend({
    ...ofService.shape,
    search: z.string().max(320).optional().describe('Part of an address.'),
  }),
  reply: page(suppression),
});

/** At most 1,000 entries in the order of their addresses, after the address `after`. The gateway returns it as CSV. */
export const exportSuppressions = request('export-suppressions', {
  request: ofService.extend({ search: z.string().max(320).optional(), after: z.string().max(320).nullable() }),
  reply: z.object({
    entries: z.array(suppression),
    after: z.string().nullable().describe('Null after the last entry.'),
  }),
});

export const suppressionsHead = (): string => csvLine(['address', 'reason', 'email_id', 'at']);

export const suppressionLines = (entries: readonly Suppression[]): string =>
  entries.map(entry => csvLine([entry.address, entry.reason, entry.email_id, entry.at])).join('');

export const addSuppressions = request('add-suppressions', {
  request: ofService.extend({
    address: address.optional(),
    addresses: z.array(z.string().max(1_000)).min(1).max(MAX_ADDED_ADDRESSES).optional(),
  }),
  reply: z.object({
    added: z.array(z.string()),
    already_listed: z.array(z.string()),
    refused: z
      .array(z.object({ address: z.string(), reason: z.string() }))
      .describe('Entries that are not valid addresses.'),
  }),
  refusals: { invalid_input: 400 },
  http: {
    operation: 'Suppressions.add',
    method: 'POST',
    path: SUPPRESSIONS,
    access: 'service-owner',
    summary: 'Add one address, or up to 1,000, to the suppression list',
    description:
      'Give either `address` or `addresses`. A malformed `address` is refused; malformed entries of `addresses` are returned in `refused`, and the others are added.',
    examples: {
      body: { address: 'ada@example.com' },
      reply: { added: ['ada@example.com'], already_listed: [], refused: [] },
    },
  },
  deadlineMs: 15_000,
});
export type AddedSuppressions = z.output<typeof addSuppressions.reply>;

export const liftSuppression = request('lift-suppression', {
  request: ofService.extend({ address: z.string() }),
  reply: noContent,
  refusals: { suppression_not_found: 404 },
  http: {
    operation: 'Suppressions.lift',
    method: 'DELETE',
    path: `${SUPPRESSIONS}/{address}`,
    access: 'service-owner',
    summary: 'Remove an address from the suppression list',
    narrowed: { address },
  },
});
