import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { bulkResult, deletion, secretScope, variableKey, variableValue } from './variables.js';

const request = requestsOf('platform-management');

export const projectSecret = z.object({ id, scope: secretScope, value: z.string(), is_secret: z.boolean() });

/** From key to its values, one a scope at most. */
export const projectSecretsByKey = z.record(z.string(), z.array(projectSecret));

export const projectSecretInput = z.strictObject({
  key: variableKey,
  value: variableValue,
  scope: secretScope,
  is_secret: z.boolean().optional().describe('Absent keeps what is; a new one is secret then.'),
});

const ofProject = z.object({ user_id: id, project_id: id });

export const listProjectSecrets = request('list-project-secrets', {
  request: ofProject,
  reply: projectSecretsByKey,
  refusals: { project_not_found: 404 },
});

/** A key that is there already in that scope gets the new value, under the same id. */
export const setProjectSecret = request('set-project-secret', {
  request: ofProject.extend(projectSecretInput.shape),
  reply: z.object({ secret: projectSecret.extend({ key: z.string() }), created: z.boolean() }),
  refusals: { project_not_found: 404, invalid_input: 400 },
});

/** All or nothing; keeps what it does not name. The same key twice in one scope is refused. */
export const setProjectSecrets = request('set-project-secrets', {
  request: ofProject.extend({
    secrets: z
      .array(
        z.strictObject({
          key: variableKey,
          value: variableValue,
          scope: secretScope,
          is_secret: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(1000),
  }),
  reply: bulkResult,
  refusals: { project_not_found: 404, invalid_input: 400 },
});

export const deleteProjectSecret = request('delete-project-secret', {
  request: ofProject.extend({ secret_id: id }),
  reply: deletion,
  refusals: { project_not_found: 404, project_secret_not_found: 404 },
});
