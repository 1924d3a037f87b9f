import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { CloseInterruptedEmails } from './close-interrupted-emails.js';

/** Closes interrupted messages at start and every 5 seconds. */
@Injectable()
export class InterruptedEmailsTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly close: CloseInterruptedEmails,
  ) {}

  /** Resolves when the messages that a crash left are closed, so that the first repeated request finds its answer. */
  async onApplicationBootstrap(): Promise<void> {
    await this.close.run();
    this.tasks.every(5_000, 'close interrupted emails', () => this.close.run());
  }
}
