import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { ReencryptValues } from './reencrypt-values.js';

/** Re-encrypts values on a timer. */
@Injectable()
export class EnvironmentTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly reencryption: ReencryptValues,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(60_000, 're-encrypt values with the first key', signal => this.reencryption.run(signal));
  }
}
