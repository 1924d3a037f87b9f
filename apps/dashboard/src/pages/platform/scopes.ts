import type { SecretScope } from '../../api-shapes.js';

/** For choices, the usual one first. */
export const SCOPES: readonly (readonly [scope: SecretScope, words: string])[] = [
  ['production', 'Production'],
  ['staging', 'Staging'],
  ['development', 'Development'],
];
