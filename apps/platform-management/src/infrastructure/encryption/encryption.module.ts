import { Module } from '@nestjs/common';
import { CONFIG, KeyRing } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import type { encryptionSettings } from './settings.js';

type Config = ConfigOf<ConfigDefinition<typeof encryptionSettings>>;

/** Provides the keys that encrypt stored secrets. */
@Module({
  providers: [
    {
      provide: KeyRing,
      inject: [CONFIG],
      useFactory: ({ encryptionKeys }: Config) => new KeyRing(encryptionKeys),
    },
  ],
  exports: [KeyRing],
})
export class EncryptionModule {}
