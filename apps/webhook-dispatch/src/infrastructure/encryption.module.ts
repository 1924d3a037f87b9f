import { Module } from '@nestjs/common';
import { CONFIG, KeyRing } from '@postern/service-host';
import type { WebhookDispatchConfig } from '../config.js';

const keyRing = {
  provide: KeyRing,
  inject: [CONFIG],
  useFactory: ({ encryptionKeys }: WebhookDispatchConfig) => new KeyRing(encryptionKeys),
};

/** The keys that encrypt webhook secrets at rest. */
@Module({ providers: [keyRing], exports: [keyRing] })
export class EncryptionModule {}
