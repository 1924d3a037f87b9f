import type { SecretScope } from '@postern/contracts';

/** The scopes as select options, the default first. */
export const SCOPES: readonly (readonly [scope: SecretScope, label: string])[] = [
  ['production', 'Production'],
  ['staging', 'Staging'],
  ['development', 'Development'],
];
