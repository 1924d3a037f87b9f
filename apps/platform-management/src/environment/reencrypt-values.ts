import { Injectable } from '@nestjs/common';
import { SealedValues } from './ports.js';

const AT_ONCE = 100;
const NAMED = 10;

/** After a new encryption key was put in front: seals what lies under the older ones again, until none does. */
@Injectable()
export class ResealValues {
  constructor(private readonly values: SealedValues) {}

  /** @throws at the end, naming the values that do not open; they keep no other from being sealed again. */
  async run(stop: AbortSignal): Promise<void> {
    const unopened: string[] = [];
    let after: string | undefined;
    do {
      const resealed = await this.values.reseal(AT_ONCE, after);
      unopened.push(...resealed.unopened);
      after = resealed.last;
    } while (after !== undefined && !stop.aborted);
    if (unopened.length === 0) return;
    const more = unopened.length > NAMED ? ' and others' : '';
    throw new Error(`${unopened.length} sealed values do not open: ${unopened.slice(0, NAMED).join(', ')}${more}`);
  }
}
