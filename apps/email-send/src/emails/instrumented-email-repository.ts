import { Injectable } from '@nestjs/common';
import { inSpan } from '@postern/messaging';
import { Metrics } from '@postern/service-host';
import type { ConcludedEmail } from './email.js';
import {
  type Admission,
  type AdmissionContext,
  type AdmissionRequest,
  type Conclusion,
  EmailRepository,
} from './ports.js';
import { PostgresEmailRepository } from './postgres-email-repository.js';

const MODES = ['production', 'sandbox', 'sandbox_fallback'] as const;
const FAILURES = ['failed', 'not_handed_over', 'interrupted'] as const;

/** Counts admitted and concluded messages, and traces how long they wait for the database. */
@Injectable()
export class InstrumentedEmailRepository extends EmailRepository {
  readonly #accepted;
  readonly #sent;
  readonly #failed;

  constructor(
    private readonly emails: PostgresEmailRepository,
    metrics: Metrics,
  ) {
    super();
    const meter = metrics.meter('postern.emails');
    this.#accepted = meter.createCounter('postern.emails.accepted', { description: 'Accepted messages' });
    this.#sent = meter.createCounter('postern.emails.sent', {
      description: 'Messages with at least one copy accepted by a relay',
    });
    this.#failed = meter.createCounter('postern.emails.failed', { description: 'Messages with no accepted copy' });
    // Prometheus sees no increase in a counter whose first sample is not zero.
    for (const mode of MODES) this.#accepted.add(0, { mode });
    this.#sent.add(0);
    for (const reason of FAILURES) this.#failed.add(0, { reason });
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const admission = await inSpan('admit message', {}, () => this.emails.admit(request));
    if (admission.kind === 'admitted') this.#accepted.add(1, { mode: request.facts.mode });
    return admission;
  }

  findRepeated(context: AdmissionContext) {
    return this.emails.findRepeated(context);
  }

  async conclude(conclusion: Conclusion): Promise<ConcludedEmail | undefined> {
    const outcome = await inSpan('conclude message', {}, () => this.emails.conclude(conclusion));
    if (!outcome) return undefined;
    if (outcome.status === 'sent') this.#sent.add(1);
    else this.#failed.add(1, { reason: failureOf(conclusion, outcome) });
    return outcome;
  }

  withdraw(request: AdmissionRequest, cause: unknown, at: string) {
    return this.emails.withdraw(request, cause, at);
  }

  record(serviceId: string, emailId: string) {
    return this.emails.record(serviceId, emailId);
  }

  isInProgress(serviceId: string, emailId: string) {
    return this.emails.isInProgress(serviceId, emailId);
  }

  answerReceived(emailId: string) {
    this.emails.answerReceived(emailId);
  }
}

const failureOf = ({ command }: Conclusion, { handedOver }: ConcludedEmail): (typeof FAILURES)[number] => {
  if (!handedOver) return 'not_handed_over';
  return command.kind === 'interrupt' ? 'interrupted' : 'failed';
};
