import { Injectable } from '@nestjs/common';
import { SealedValues } from '../ports/resources.js';

const AT_ONCE = 100;

/** After a new encryption key was put in front: seals what lies under the older ones again, until none does. */
@Injectable()
export class ResealValues {
  constructor(private readonly values: SealedValues) {}

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.values.reseal(AT_ONCE)) > 0);
  }
}
