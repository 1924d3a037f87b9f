import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import type { DefaultLimits } from './service-limits.js';

/** Limits of services without limits set by the operator. */
@Injectable()
export class LimitDefaults implements DefaultLimits {
  readonly sandboxDaily: number;
  readonly sandboxPerMinute: number;
  readonly productionPerMinute: number;
  readonly productionDailyStart: number;
  readonly productionDailyCeiling: number;

  constructor(@Inject(CONFIG) config: EmailSendConfig) {
    this.sandboxDaily = config.sandboxDailyLimit;
    this.sandboxPerMinute = config.sandboxPerMinuteLimit;
    this.productionPerMinute = config.productionPerMinuteLimit;
    this.productionDailyStart = config.productionDailyStart;
    this.productionDailyCeiling = config.quotaCeiling;
  }
}
