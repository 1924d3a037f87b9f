import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../accounts/quotas/quota-usage.module.js';
import { ManagementKeys } from './management-keys.js';

/** Keys of the dashboard API for programs. */
@Module({ imports: [QuotaUsageModule], providers: [ManagementKeys] })
export class ManagementKeysModule {}
