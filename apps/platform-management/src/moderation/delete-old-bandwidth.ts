import { Injectable } from '@nestjs/common';
import { monthsBefore } from './bandwidth.js';
import { BandwidthRepository } from './ports.js';

const MONTHS_KEPT = 13;

/** Deletes the bandwidth usage of months past the retention. */
@Injectable()
export class DeleteOldBandwidth {
  constructor(private readonly bandwidth: BandwidthRepository) {}

  async run(now: Date): Promise<void> {
    await this.bandwidth.deleteBefore(monthsBefore(now, MONTHS_KEPT));
  }
}
