import { Injectable } from '@nestjs/common';
import { interruptionOf } from '../domain/email.js';
import { EmailLedger, EmailsUnderWay } from '../ports.js';

/**
 * At start and on a timer: messages whose process died between acceptance and outcome are closed as failed,
 * "interrupted: outcome unknown". They are never sent again by us, for the relay may have taken them; a request
 * repeated under their Idempotency-Key gets this answer.
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
      await Promise.all(
        emails.map(facts =>
          this.ledger.conclude({ facts, event: interruptionOf(facts, at), idempotencyKey: undefined }),
        ),
      );
    });
  }
}
