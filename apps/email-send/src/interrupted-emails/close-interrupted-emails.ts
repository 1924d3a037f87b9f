import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Every } from '@postern/service-host';
import { EmailRepository } from '../emails/ports.js';
import { EmailsInProgress } from './emails-in-progress.js';

/**
 * Closes messages of dead processes as failed, "interrupted: outcome unknown". They are never sent
 * again, because the relay may have accepted them; evidence can still change the record to `sent`.
 */
@Injectable()
export class CloseInterruptedEmails implements OnApplicationBootstrap {
  constructor(
    private readonly inProgress: EmailsInProgress,
    private readonly emails: EmailRepository,
  ) {}

  /** Resolves when the messages that a crash left are closed, so that the first repeated request finds its answer. */
  onApplicationBootstrap(): Promise<void> {
    return this.run();
  }

  @Every(2_000, 'close interrupted emails')
  async run(): Promise<void> {
    await this.inProgress.closeAbandoned(async abandoned => {
      const at = new Date().toISOString();
      await Promise.all(abandoned.map(facts => this.emails.conclude({ facts, command: { kind: 'interrupt', at } })));
    });
  }
}
