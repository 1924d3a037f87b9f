import type { SecretScope } from '../../api-shapes.js';

/** The scopes as select options, the default first. */
export const SCOPES: readonly (readonly [scope: SecretScope, label: string])[] = [
  ['production', 'Production'],
  ['staging', 'Staging'],
  ['development', 'Development'],
];
