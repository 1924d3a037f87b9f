import { Injectable } from '@nestjs/common';
import { SendingSettings } from '../emails/ports.js';
import { Retention } from './ports.js';

/** On a timer: deletes everything whose retention is over. Bodies are deleted only with final messages. */
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
