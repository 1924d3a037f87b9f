import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { monthsBefore } from './bandwidth.js';
import { BandwidthRepository } from './ports.js';

const MONTHS_KEPT = 13;

/** Deletes the bandwidth usage of months past the retention. */
@Injectable()
export class DeleteOldBandwidth {
  constructor(private readonly bandwidth: BandwidthRepository) {}

  @Every(60_000, 'delete old bandwidth usage', { onOneReplica: true })
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.bandwidth.deleteBefore(monthsBefore(now, MONTHS_KEPT));
  }
}
