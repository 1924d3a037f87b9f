import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { RetryDeferredCopies } from './retry-deferred-copies.js';

/** Retries due copies every 5 seconds. */
@Injectable()
export class DeferredCopiesTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly retry: RetryDeferredCopies,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(5_000, 'retry deferred copies', () => this.retry.run());
  }
}
