import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { BULK_RESULT, DELETION, NEW_VARIABLE, RESOLVED_VARIABLE, VARIABLE } from './examples.js';
import { bulkResult, deletion, MAX_BULK_BYTES, variableKey, variableValue } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

export const variable = z.object({
  id: id.describe('Id of the variable.'),
  key: z.string().describe('Name of the variable.'),
  value: z.string().describe('Value of the variable; `********` if it is secret.'),
  is_secret: z.boolean().describe('Whether the value is masked in replies and logs.'),
});
export type Variable = z.output<typeof variable>;

export const variableInput = z.strictObject({
  key: variableKey.describe('Name of the variable: letters, digits and `_`, at most 255 characters.'),
  value: variableValue.describe('Value of the variable, at most 64 KiB of UTF-8.'),
  is_secret: z
    .boolean()
    .optional()
    .describe('If absent, an existing variable is unchanged and a new one is not secret.'),
});

/** Sorted by key. */
export const listVariables = request('list-variables', {
  request: ofWebService,
  reply: z.array(variable),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'Environment.list',
    method: 'GET',
    path: '/web-services/{web_service_id}/env',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'List the variables by key; secret values are masked',
    description: 'Returns only the variables of the web service, without the secrets of its project.',
    examples: { reply: [VARIABLE] },
  },
});

/** A variable that the next release gets. */
export const resolvedVariable = z.object({
  key: z.string().describe('Name of the variable.'),
  value: z.string().describe('Value of the variable; `********` if it is secret.'),
  is_secret: z.boolean().describe('Whether the value is masked in replies and logs.'),
  origin: z
    .enum(['variable', 'database', 'project_secret', 'platform'])
    .describe(
      '`variable` of the web service, `database` that is attached to it, `project_secret` of its environment, or set by the ' +
        '`platform`. In this order, the first one takes precedence, except over the platform’s `PORT` and `DISK_PATH`.',
    ),
  running: z.boolean().nullable().describe('Whether the running instances have this value; null if none runs.'),
});
export type ResolvedVariable = z.output<typeof resolvedVariable>;

/** Sorted by key. */
export const resolveEnvironment = request('resolve-environment', {
  request: ofWebService,
  reply: z.array(resolvedVariable),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'Environment.resolve',
    method: 'GET',
    path: '/web-services/{web_service_id}/env/resolved',
    access: ['platform-key', 'session'],
    summary: 'List the variables that a start would use by key, with their origins; secret values are masked',
    description:
      'A variable that `running` does not mark takes effect at the next start, restart or deployment. Variables that the ' +
      'runtime sets for the language, such as `NODE_ENV`, are not listed.',
    examples: { reply: [RESOLVED_VARIABLE] },
  },
});

/** Creates the key, or updates its value under the same id; `created` distinguishes the two. */
export const setVariable = request('set-variable', {
  request: ofWebService.extend(variableInput.shape),
  reply: z.object({ variable, created: z.boolean() }),
  refusals: { web_service_not_found: 404, invalid_input: 400, variable_reserved: 400 },
  http: {
    operation: 'Environment.set',
    method: 'POST',
    path: '/web-services/{web_service_id}/env',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create or update a variable',
    description: 'The change takes effect at the next start, restart or deployment.',
    upsert: { resource: 'variable', updated: 'The key existed and has the new value, under the same id.' },
    examples: { body: NEW_VARIABLE, reply: VARIABLE },
  },
});

/** All or nothing; other variables are kept. A duplicate key is refused. An absent `is_secret` is not changed. */
export const setVariables = request('set-variables', {
  request: ofWebService.extend({
    variables: z
      .array(z.strictObject(variableInput.shape))
      .min(1)
      .max(1000)
      .describe('1 to 1,000 variables with different keys.'),
  }),
  reply: bulkResult,
  refusals: { web_service_not_found: 404, invalid_input: 400, variable_reserved: 400 },
  http: {
    operation: 'Environment.setAll',
    method: 'PUT',
    path: '/web-services/{web_service_id}/env/bulk',
    access: ['platform-key', 'session'],
    maxBodyBytes: MAX_BULK_BYTES,
    summary: 'Create or update many variables, all or none; others are kept',
    description: 'The changes take effect together, at the next start, restart or deployment.',
    examples: { body: { variables: [NEW_VARIABLE] }, reply: BULK_RESULT },
  },
});

export const deleteVariable = request('delete-variable', {
  request: ofWebService.extend({ var_id: id.describe('Id of the variable.') }),
  reply: deletion,
  refusals: { web_service_not_found: 404, variable_not_found: 404 },
  http: {
    operation: 'Environment.delete',
    method: 'DELETE',
    path: '/web-services/{web_service_id}/env/{var_id}',
    access: ['platform-key', 'session'],
    summary: 'Delete a variable',
    description: 'Running instances keep it until the next start, restart or deployment.',
    examples: { reply: DELETION },
  },
});
