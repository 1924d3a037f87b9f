import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { bulkResult, deletion, variableKey, variableValue } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

export const variable = z.object({ id, key: z.string(), value: z.string(), is_secret: z.boolean() });

export const variableInput = z.strictObject({
  key: variableKey,
  value: variableValue,
  is_secret: z.boolean().optional().describe('Absent keeps what is; a new variable is not secret then.'),
});

/** By key. */
export const listVariables = request('list-variables', {
  request: ofWebService,
  reply: z.array(variable),
  refusals: { web_service_not_found: 404 },
});

/** A key that is there already gets the new value, under the same id. `created` tells which of the two it was. */
export const setVariable = request('set-variable', {
  request: ofWebService.extend(variableInput.shape),
  reply: z.object({ variable, created: z.boolean() }),
  refusals: { web_service_not_found: 404, invalid_input: 400 },
});

/** All or nothing; keeps what it does not name. The same key twice is refused. An absent `is_secret` keeps what is. */
export const setVariables = request('set-variables', {
  request: ofWebService.extend({
    variables: z
      .array(z.strictObject({ key: variableKey, value: variableValue, is_secret: z.boolean().optional() }))
      .min(1)
      .max(1000),
  }),
  reply: bulkResult,
  refusals: { web_service_not_found: 404, invalid_input: 400 },
});

export const deleteVariable = request('delete-variable', {
  request: ofWebService.extend({ var_id: id }),
  reply: deletion,
  refusals: { web_service_not_found: 404, variable_not_found: 404 },
});
