import { insufficientScopeDetail, moderationDetail, restrictionDetail } from '../errors/refusal-detail.js';
import type { Operation } from './operations.js';
import { inputSchema } from './schemas.js';

const schemaOf = (property: string, value: object): object => ({
  type: 'object',
  properties: { [property]: value },
  required: [property],
});

const MESSAGE = { type: 'string', description: 'What went wrong, in words.' };

/**
 * The shapes of error responses, as components of a document. Not named `Error`, because many languages have that type.
 */
export const ERROR_SCHEMAS = { ApiError: schemaOf('error', MESSAGE) };
export const PLATFORM_ERROR_SCHEMAS = {
  Detail: schemaOf('detail', MESSAGE),
  Forbidden: schemaOf('detail', {
    description: 'Why the call is forbidden, for programs.',
    anyOf: [insufficientScopeDetail, restrictionDetail, moderationDetail].map(inputSchema),
  }),
};

const INSUFFICIENT_SCOPE = { detail: { code: 'insufficient_scope', required: 'write', actual: 'read' } };
const SERVICE_BLOCKED = { detail: { code: 'service_blocked', message: 'The web service is blocked: phishing.' } };

/** The body of an error response of `operation` with this status. */
export const errorContentOf = (operation: Operation, status: number): object => {
  if (!operation.platform) return json({ schema: { $ref: '#/components/schemas/ApiError' } });
  if (status !== 403) return json({ schema: { $ref: '#/components/schemas/Detail' } });
  const moderated = operation.requests.some(({ refusals }) => 'service_blocked' in refusals);
  return json({
    schema: { $ref: '#/components/schemas/Forbidden' },
    examples: {
      insufficient_scope: { value: INSUFFICIENT_SCOPE },
      ...(moderated ? { service_blocked: { value: SERVICE_BLOCKED } } : {}),
    },
  });
};

const json = (content: object): object => ({ content: { 'application/json': content } });
