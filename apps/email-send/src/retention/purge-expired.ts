import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { SendingSettings } from '../emails/ports.js';
import { Retention } from './ports.js';

/** Deletes everything whose retention is over. Bodies are deleted only with final messages. */
@Injectable()
export class PurgeExpired {
  constructor(
    private readonly retention: Retention,
    private readonly settings: SendingSettings,
  ) {}

  @Every(10 * 60_000, 'purge expired rows')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.retention.purgeBodies(new Date(now.getTime() - this.settings.bodyRetentionDays * 86_400_000));
    await this.retention.purgeExpired(now);
  }
}
