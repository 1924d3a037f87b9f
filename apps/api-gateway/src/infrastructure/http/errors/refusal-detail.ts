import { platformKeyScope, type Refusal } from '@postern/contracts';
import { z } from 'zod';
import { sentenceOf } from './sentences.js';

/** `detail` of a 403 for a key with an insufficient scope. */
export const insufficientScopeDetail = z
  .object({
    code: z.literal('insufficient_scope').describe('The scope of the key does not allow the call.'),
    required: platformKeyScope.describe('The scope that the call needs.'),
    actual: platformKeyScope.describe('The scope that the key has.'),
  })
  .meta({ title: 'InsufficientScope' });

/** `detail` of a 403 for a key that is restricted to other operations or projects. */
export const restrictionDetail = z
  .object({
    code: z.literal('operation_not_allowed').describe('The key is restricted to other operations or projects.'),
    message: z.string().describe('The operation that the key does not allow.'),
  })
  .meta({ title: 'KeyRestriction' });

/** `detail` of a 403 for a web service that an operator has blocked or suspended. */
export const moderationDetail = z
  .object({
    code: z
      .enum(['service_blocked', 'service_suspended'])
      .describe('An operator has blocked or suspended the web service.'),
    message: z.string().describe('Why the web service is blocked or suspended.'),
  })
  .meta({ title: 'ServiceModeration' });

/** The `detail` of refusals that programs evaluate; undefined for those with only a message. */
export const detailOf = ({ code, message, details }: Refusal): object | undefined => {
  switch (code) {
    case 'insufficient_scope':
      return { code, required: details['required'], actual: details['actual'] };
    case 'operation_not_allowed':
    case 'service_blocked':
    case 'service_suspended':
      return { code, message: sentenceOf(message) };
    default:
      return undefined;
  }
};
