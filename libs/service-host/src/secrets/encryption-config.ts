import type { EncryptionKey } from './key-ring.js';

/** Whether a service's configuration includes the setting `encryptionKeys`. */
export const hasEncryptionKeys = (config: unknown): config is { readonly encryptionKeys: readonly EncryptionKey[] } =>
  typeof config === 'object' && config !== null && 'encryptionKeys' in config;
