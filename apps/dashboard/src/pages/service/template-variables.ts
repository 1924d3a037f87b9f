import { ApiError } from '../../api-client.js';

/** The JSON object that a user entered. @throws ApiError, which the form shows. */
export const variablesIn = (text: string): unknown => {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'The variables are not valid JSON. Check quotes and commas.');
  }
};
