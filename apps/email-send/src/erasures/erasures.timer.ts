import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { ExecuteErasures } from './execute-erasures.js';

/** Runs due steps of erasures every second. */
@Injectable()
export class ErasuresTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly erasures: ExecuteErasures,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(1_000, 'execute erasures', signal => this.erasures.run(signal));
  }
}
