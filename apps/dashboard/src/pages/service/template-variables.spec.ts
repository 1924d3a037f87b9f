import { expect, it } from '@jest/globals';
import { ApiError } from '../../api-client.js';
import { variablesIn } from './template-variables.js';

it('reads variables as JSON, and nothing as no variables', () => {
  expect(variablesIn('{"name": "Ada"}')).toEqual({ name: 'Ada' });
  expect(variablesIn(' ')).toEqual({});
});

it('explains what is no JSON', () => {
  expect(() => variablesIn('{name: Ada}')).toThrow(ApiError);
});
