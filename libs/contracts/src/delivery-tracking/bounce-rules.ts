import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';
import { HARD_BOUNCE_CAUSES, SOFT_BOUNCE_CAUSES } from './bounce-causes.js';

const request = requestsOf('delivery-tracking', ['api-gateway']);

const BOUNCE_RULES = '/email-services/{service_id}/bounce-rules';
export const MAX_BOUNCE_RULES = 100;

const cause = z
  .enum([...HARD_BOUNCE_CAUSES, ...SOFT_BOUNCE_CAUSES])
  .describe(`What a bounce with this reply means. Hard: ${HARD_BOUNCE_CAUSES.join(', ')}. All others are soft.`);
export type BounceCause = z.output<typeof cause>;

const phrase = z
  .string()
  .trim()
  .min(5, 'give at least 5 characters of the reply')
  .max(300, 'give at most 300 characters of the reply')
  .regex(/\p{L}{3}/u, 'give words of the reply; use status_code for its code')
  .regex(/^[^@]*$/, 'leave out the address, so that the rule applies to other recipients')
  .describe('Part of the reply of the receiving server. Case and the width of spaces do not matter.');

const domain = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s@/:]+$/, 'give a domain, such as example.com')
  .describe('Only recipients at this domain.');

const statusCode = z
  .string()
  .regex(/^[45](\d\d|\.\d{1,3}\.\d{1,3})$/, 'give a code such as 550 or 5.7.1')
  .describe('Only replies that contain this code.');

export const bounceRule = z.object({
  id,
  phrase: z.string(),
  domain: z.string().nullable().describe('Null: recipients at any domain.'),
  status_code: z.string().nullable().describe('Null: any code.'),
  cause: z.string(),
  bounce_type: z.enum(['hard', 'soft']),
  created_at: timestamp,
});
export type BounceRule = z.output<typeof bounceRule>;

const ofService = z.object({ service_id: id });

export const createBounceRule = request('create-bounce-rule', {
  request: ofService.extend({
    phrase,
    cause,
    domain: domain.optional(),
    status_code: statusCode.optional(),
    email_id: id
      .optional()
      .describe(
        'A message that was classified wrongly. Its bounces that the rule matches are classified again. If they become soft, their addresses are removed from the suppression list, unless they complained, unsubscribed or were added by hand.',
      ),
  }),
  reply: bounceRule,
  refusals: {
    email_not_found: 404,
    bounce_rule_does_not_match: 400,
    invalid_input: 400,
    bounce_rule_exists: 409,
    quota_reached: 409,
  },
  http: {
    operation: 'BounceRules.create',
    method: 'POST',
    path: BOUNCE_RULES,
    access: 'service-owner',
    status: 201,
    summary: 'Create a rule for the classification of bounces',
    description: `Rules of the email service are read before those of Postern, the newest first. They apply to later bounces, and to those of \`email_id\`. A rule that exists already is returned. At most ${MAX_BOUNCE_RULES} rules per email service.`,
    examples: {
      body: { phrase: 'recipient rejected by local policy', cause: 'policy', status_code: '5.1.1' },
      reply: {
        id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
        phrase: 'recipient rejected by local policy',
        domain: null,
        status_code: '5.1.1',
        cause: 'policy',
        bounce_type: 'soft',
        created_at: '2026-01-01T12:00:00.000Z',
      },
    },
  },
});

export const listBounceRules = request('list-bounce-rules', {
  request: ofService,
  reply: z.array(bounceRule),
  http: {
    operation: 'BounceRules.list',
    method: 'GET',
    path: BOUNCE_RULES,
    access: 'service-owner',
    summary: 'List the rules for the classification of bounces, newest first',
  },
});

export const deleteBounceRule = request('delete-bounce-rule', {
  request: ofService.extend({ rule_id: id }),
  reply: noContent,
  refusals: { bounce_rule_not_found: 404 },
  http: {
    operation: 'BounceRules.delete',
    method: 'DELETE',
    path: `${BOUNCE_RULES}/{rule_id}`,
    access: 'service-owner',
    summary: 'Delete a rule; bounces that it classified stay as they are',
  },
});
