import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { OldBounceNotices } from './ports.js';

const DAY_MS = 86_400_000;

/** Deletes the texts of notices when their retention is over. The bounces themselves are kept. */
@Injectable()
export class DropBounceNotices {
  readonly #retentionMs: number;

  constructor(
    private readonly notices: OldBounceNotices,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'bounceNoticeRetentionDays'>,
  ) {
    this.#retentionMs = config.bounceNoticeRetentionDays * DAY_MS;
  }

  async execute(now: Date): Promise<void> {
    await this.notices.deleteOlderThan(new Date(now.getTime() - this.#retentionMs));
  }
}
