import { type ConfigOf, databaseSettings, defineConfig, secret, text } from '@postern/service-host';

/** Every setting of platform-management. */
export const config = defineConfig({
  ...databaseSettings,
  operatorEmail: text()
    .optional()
    .describe('E-mail address of the first operator, made at the start if there is none.'),
  operatorPassword: secret()
    .optional()
    .describe('Password of the first operator; to be changed after the first login.'),
});

export type PlatformManagementConfig = ConfigOf<typeof config>;
