import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { LimitDefaults } from './ports.js';

/** Reads the default limits from the configuration. */
@Injectable()
export class ConfigLimitDefaults extends LimitDefaults {
  readonly sandboxDaily: number;
  readonly sandboxPerMinute: number;
  readonly productionPerMinute: number;
  readonly productionDailyStart: number;
  readonly productionDailyCeiling: number;

  constructor(@Inject(CONFIG) config: EmailSendConfig) {
    super();
    this.sandboxDaily = config.sandboxDailyLimit;
    this.sandboxPerMinute = config.sandboxPerMinuteLimit;
    this.productionPerMinute = config.productionPerMinuteLimit;
    this.productionDailyStart = config.productionDailyStart;
    this.productionDailyCeiling = config.quotaCeiling;
  }
}
