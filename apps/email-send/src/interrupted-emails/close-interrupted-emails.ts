import { Injectable } from '@nestjs/common';
import { EmailRepository } from '../emails/ports.js';
import { EmailsInProgress } from './ports.js';

/**
 * At start and on a timer: closes messages of dead processes as failed, "interrupted: outcome unknown". They are never sent
 * again, because the relay may have accepted them; evidence can still change the record to `sent`.
 */
@Injectable()
export class CloseInterruptedEmails {
  constructor(
    private readonly inProgress: EmailsInProgress,
    private readonly emails: EmailRepository,
  ) {}

  async run(): Promise<void> {
    await this.inProgress.closeAbandoned(async abandoned => {
      const at = new Date().toISOString();
      await Promise.all(abandoned.map(facts => this.emails.conclude({ facts, command: { kind: 'interrupt', at } })));
    });
  }
}
