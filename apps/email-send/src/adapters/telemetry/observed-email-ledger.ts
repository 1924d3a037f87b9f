import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { inSpan } from '@postern/messaging';
import type { Metrics } from '@postern/service-host';
import type { ConcludedEmail } from '../../domain/email.js';
import { type Admission, type AdmissionRequest, type Asking, type Conclusion, EmailLedger } from '../../ports.js';

const MODES = ['production', 'sandbox', 'sandbox_fallback'] as const;
const FAILURES = ['failed', 'not_handed_over', 'interrupted'] as const;

/** Counts messages as they are let in and as they end, and shows in their traces how long they waited for the database. */
@Injectable()
export class ObservedEmailLedger extends EmailLedger implements OnApplicationShutdown {
  readonly #accepted;
  readonly #sent;
  readonly #failed;

  constructor(
    private readonly ledger: EmailLedger & OnApplicationShutdown,
    metrics: Metrics,
  ) {
    super();
    const meter = metrics.meter('postern.emails');
    this.#accepted = meter.createCounter('postern.emails.accepted', { description: 'Messages let in' });
    this.#sent = meter.createCounter('postern.emails.sent', { description: 'Messages of which a relay took a copy' });
    this.#failed = meter.createCounter('postern.emails.failed', { description: 'Messages that ended without a copy' });
    // A counter that begins with its first step has not risen, as Prometheus sees it.
    for (const mode of MODES) this.#accepted.add(0, { mode });
    this.#sent.add(0);
    for (const reason of FAILURES) this.#failed.add(0, { reason });
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const admission = await inSpan('admit message', {}, () => this.ledger.admit(request));
    if (admission.kind === 'admitted') this.#accepted.add(1, { mode: request.facts.mode });
    return admission;
  }

  repeat(asking: Asking) {
    return this.ledger.repeat(asking);
  }

  async conclude(conclusion: Conclusion): Promise<ConcludedEmail | undefined> {
    const outcome = await inSpan('conclude message', {}, () => this.ledger.conclude(conclusion));
    if (!outcome) return undefined;
    if (outcome.status === 'sent') this.#sent.add(1);
    else this.#failed.add(1, { reason: failureOf(conclusion, outcome) });
    return outcome;
  }

  withdraw(request: AdmissionRequest, reason: string, at: string) {
    return this.ledger.withdraw(request, reason, at);
  }

  record(serviceId: string, emailId: string) {
    return this.ledger.record(serviceId, emailId);
  }

  isUnderWay(serviceId: string, emailId: string) {
    return this.ledger.isUnderWay(serviceId, emailId);
  }

  answerReceived(emailId: string) {
    this.ledger.answerReceived(emailId);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.ledger.onApplicationShutdown();
  }
}

const failureOf = ({ command }: Conclusion, { handedOver }: ConcludedEmail): (typeof FAILURES)[number] => {
  if (!handedOver) return 'not_handed_over';
  return command.kind === 'interrupt' ? 'interrupted' : 'failed';
};
