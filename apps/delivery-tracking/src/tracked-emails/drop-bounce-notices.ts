import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Every, type TaskRun } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { BounceNotices } from './bounce-notices.js';

const DAY_MS = 86_400_000;

/** Deletes the texts of notices when their retention is over. The bounces themselves are kept. */
@Injectable()
export class DropBounceNotices {
  readonly #retentionMs: number;

  constructor(
    private readonly notices: BounceNotices,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'bounceNoticeRetentionDays'>,
  ) {
    this.#retentionMs = config.bounceNoticeRetentionDays * DAY_MS;
  }

  @Every(3_600_000, 'drop old bounce notices')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.notices.deleteOlderThan(new Date(now.getTime() - this.#retentionMs));
  }
}
