import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { ofCaller } from './caller.js';
import { BULK_RESULT, DELETION, NEW_SECRET, SECRET, SECRETS_BY_KEY } from './examples.js';
import { bulkResult, deletion, MAX_BULK_BYTES, secretScope, variableKey, variableValue } from './variables.js';

const request = requestsOf('platform-management');

export const projectSecret = z.object({
  id: id.describe('Id of the secret.'),
  scope: secretScope.describe('The environment whose web services get the value.'),
  value: z.string().describe('Value of the secret; `********` if it is secret.'),
  is_secret: z.boolean().describe('Whether the value is masked in replies and logs.'),
});

/** Maps each key to its values, at most one per scope. */
export const projectSecretsByKey = z.record(z.string(), z.array(projectSecret));
export type ProjectSecrets = z.output<typeof projectSecretsByKey>;

export const projectSecretInput = z.strictObject({
  key: variableKey.describe('Name of the variable that web services get: letters, digits and `_`.'),
  value: variableValue.describe('Value of the secret, at most 64 KiB of UTF-8.'),
  scope: secretScope.describe('The environment whose web services get the value.'),
  is_secret: z.boolean().optional().describe('If absent, an existing secret is unchanged and a new one is secret.'),
});

const ofProject = ofCaller.extend({ project_id: id.describe('Id of the project.') });

export const listProjectSecrets = request('list-project-secrets', {
  request: ofProject,
  reply: projectSecretsByKey,
  refusals: { project_not_found: 404 },
  http: {
    operation: 'ProjectSecrets.list',
    method: 'GET',
    path: '/projects/{project_id}/secrets',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'List the secrets by key; values are masked',
    description: 'Each key has at most one value in each scope.',
    examples: { reply: SECRETS_BY_KEY },
  },
});

/** Creates the key in the scope, or updates its value under the same id. */
export const setProjectSecret = request('set-project-secret', {
  request: ofProject.extend(projectSecretInput.shape),
  reply: z.object({
    secret: projectSecret.extend({ key: z.string().describe('Name of the variable that web services get.') }),
    created: z.boolean(),
  }),
  refusals: { project_not_found: 404, invalid_input: 400, variable_reserved: 400 },
  http: {
    operation: 'ProjectSecrets.set',
    method: 'POST',
    path: '/projects/{project_id}/secrets',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create or update a secret in one scope',
    description:
      'Web services of the project get the secrets of their environment. A variable of a web service overrides a ' +
      'secret with the same key.',
    upsert: { resource: 'secret', updated: 'The key existed in this scope and has the new value, under the same id.' },
    examples: { body: NEW_SECRET, reply: SECRET },
  },
});

/** All or nothing; other secrets are kept. A duplicate key in one scope is refused. */
export const setProjectSecrets = request('set-project-secrets', {
  request: ofProject.extend({
    secrets: z
      .array(z.strictObject(projectSecretInput.shape))
      .min(1)
      .max(1000)
      .describe('1 to 1,000 secrets with different keys in each scope.'),
  }),
  reply: bulkResult,
  refusals: { project_not_found: 404, invalid_input: 400, variable_reserved: 400 },
  http: {
    operation: 'ProjectSecrets.setAll',
    method: 'PUT',
    path: '/projects/{project_id}/secrets/bulk',
    access: ['platform-key', 'session'],
    maxBodyBytes: MAX_BULK_BYTES,
    summary: 'Create or update many secrets, all or none; others are kept',
    description: 'The changes take effect together, at the next start, restart or deployment of each web service.',
    examples: { body: { secrets: [NEW_SECRET] }, reply: BULK_RESULT },
  },
});

export const deleteProjectSecret = request('delete-project-secret', {
  request: ofProject.extend({ secret_id: id.describe('Id of the secret.') }),
  reply: deletion,
  refusals: { project_not_found: 404, project_secret_not_found: 404 },
  http: {
    operation: 'ProjectSecrets.delete',
    method: 'DELETE',
    path: '/projects/{project_id}/secrets/{secret_id}',
    access: ['platform-key', 'session'],
    summary: 'Delete a secret from one scope',
    description: 'The key keeps its values in other scopes. Running instances keep it until they are replaced.',
    examples: { reply: DELETION },
  },
});
