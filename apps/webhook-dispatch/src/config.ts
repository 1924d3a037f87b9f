import {
  type ConfigOf,
  databaseSettings,
  defineConfig,
  encryptionKeys,
  flag,
  integer,
} from '@postern/service-host/config';

/** Every setting of webhook-dispatch. */
export const config = defineConfig({
  ...databaseSettings,
  encryptionKeys: encryptionKeys(),
  webhooksAllowPrivate: flag()
    .default(false)
    .describe('Allows webhooks to private addresses and over plain HTTP; for local development and tests only.'),
  deliveryRetentionDays: integer()
    .min(15)
    .default(30)
    .describe('Days that completed deliveries and their attempts are stored.'),
});

export type WebhookDispatchConfig = ConfigOf<typeof config>;
