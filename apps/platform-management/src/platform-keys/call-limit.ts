import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import type { platformKeySettings } from './settings.js';

/** The configured number of calls per key and minute; 0 means no limit. */
@Injectable()
export class CallLimit {
  readonly perMinute: number;

  constructor(@Inject(CONFIG) { platformCallsPerMinute }: ConfigOf<ConfigDefinition<typeof platformKeySettings>>) {
    this.perMinute = platformCallsPerMinute;
  }
}
