import { Injectable } from '@nestjs/common';
import { Retention, SendingSettings } from '../ports.js';

/** On a timer: takes away what has been kept long enough. Bodies go only with messages that are final. */
@Injectable()
export class PurgeExpired {
  constructor(
    private readonly retention: Retention,
    private readonly settings: SendingSettings,
  ) {}

  async run(now = new Date()): Promise<void> {
    await this.retention.purgeBodies(new Date(now.getTime() - this.settings.bodyRetentionDays * 86_400_000));
    await this.retention.purgeExpired(now);
  }
}
