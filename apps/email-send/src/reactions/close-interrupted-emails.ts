import { Injectable } from '@nestjs/common';
import { EmailLedger, EmailsUnderWay } from '../ports.js';

/**
 * At start and on a timer: messages whose process died between acceptance and outcome are closed as failed,
 * "interrupted: outcome unknown". They are never sent again by us, for the relay may have taken them; the same request
 * again gets this answer, until evidence shows that the relay took the message.
 */
@Injectable()
export class CloseInterruptedEmails {
  constructor(
    private readonly underWay: EmailsUnderWay,
    private readonly ledger: EmailLedger,
  ) {}

  async run(): Promise<void> {
    await this.underWay.abandoned(async emails => {
      const at = new Date().toISOString();
      await Promise.all(emails.map(facts => this.ledger.conclude({ facts, command: { kind: 'interrupt', at } })));
    });
  }
}
