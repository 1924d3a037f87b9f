export { concurrentBuilds, concurrentBuildsOf, defaultConcurrentBuilds } from './config/concurrent-builds.js';
export {
  type ConfigDefinition,
  ConfigError,
  type ConfigOf,
  defineConfig,
  defineSettings,
  describeConfig,
  type Environment,
  type HostConfig,
  type SettingDescription,
} from './config/define-config.js';
export { Secret } from './config/secret.js';
export { databaseSettings, flag, integer, list, messageRetentionDays, secret, text } from './config/settings.js';
export { type EncryptionKey, encryptionKeys } from './secrets/key-ring.js';
