import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ServiceLog, Tasks } from '@postern/service-host';
import { PlatformCalls } from './ports.js';

/** Saves the time of the last use of platform keys every 30 seconds and at shutdown. */
@Injectable()
export class PlatformKeyTimers implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly tasks: Tasks,
    private readonly calls: PlatformCalls,
    private readonly log: ServiceLog,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(30_000, 'save last uses of platform keys', () => this.calls.saveLastUses());
  }

  /** Runs after the last call and before the database closes. An error must not prevent the shutdown. */
  async onApplicationShutdown(): Promise<void> {
    await this.calls
      .saveLastUses()
      .catch((err: unknown) => this.log.warn({ err }, 'The last uses of platform keys could not be saved'));
  }
}
