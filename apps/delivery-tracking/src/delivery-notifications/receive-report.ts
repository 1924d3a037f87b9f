import { Injectable } from '@nestjs/common';
import type { TrackedRecipient } from '@postern/mail';
import { classifyBounce, type InboundMail, type RecipientReport, readInboundMail, TrackingTokens } from '@postern/mail';
import { classificationOf } from '../tracked-emails/bounce-classification.js';
import { EmailSignals } from '../tracked-emails/email-signals.js';
import type { NotifiedStatus, Signal } from '../tracked-emails/signal.js';
import { ComplaintEvidence } from './complaint-evidence.js';
import { type ReceivedReport } from './ports.js';
import { ReportMetrics } from './report-metrics.js';
import { ReportedCopies } from './reported-copies.js';
import { ReturnPathProbes } from './return-path-probes.js';

type Notification = Extract<InboundMail, { kind: 'delivery_notification' }>;
type FeedbackReport = Extract<InboundMail, { kind: 'feedback_report' }>;

const FEEDBACK_MAILBOX = 'fbl';
const NO_COMPLAINTS: ReadonlySet<string> = new Set(['not-spam', 'auth-failure', 'dmarc']);
const MAX_EVIDENCE = 2_000;

/**
 * Processes a message to a return path or the feedback mailbox. A message without effect is counted by cause; the sender
 * gets no error, because it can be anybody.
 */
@Injectable()
export class ReceiveReport {
  constructor(
    private readonly tokens: TrackingTokens,
    private readonly signals: EmailSignals,
    private readonly metrics: ReportMetrics,
    private readonly probes: ReturnPathProbes,
    private readonly evidence: ComplaintEvidence,
    private readonly copies: ReportedCopies,
  ) {}

  /** Whether the mailbox exists: the feedback mailbox, or a return path with a valid signature. */
  accepts(localPart: string): boolean {
    if (localPart.toLowerCase() === FEEDBACK_MAILBOX) return true;
    const valid = this.isReturnPath(localPart);
    if (!valid) this.metrics.ignored('forged_return_path');
    return valid;
  }

  /** Whether the signature is valid; return paths at customer domains have the same signature. */
  isReturnPath(localPart: string): boolean {
    return this.tokens.readReturnPathToken(localPart) !== undefined;
  }

  /** Resolves once the effect is durable or the message is ignored. */
  async execute(report: ReceivedReport): Promise<void> {
    const mail = readInboundMail(report.raw);
    const recipients = report.localParts
      .map(localPart => this.tokens.readReturnPathToken(localPart))
      .filter(recipient => recipient !== undefined);
    const probes = recipients.filter(({ emailId }) => isProbe(emailId));
    for (const { emailId } of probes) this.probes.arrived(emailId);
    if (probes.length > 0) return;
    this.metrics.received(mail.kind, mail.kind === 'other' ? mail.why : mail.form);
    if (mail.kind === 'feedback_report') return this.#complain(mail, report, recipients);
    // RFC 3464 §2: notifications have the null sender, so other senders are not mail systems.
    if (report.sender !== '') return this.metrics.ignored(mail.kind === 'other' ? mail.why : 'sender_not_null');
    if (recipients.length === 0) {
      return this.metrics.ignored(mail.kind === 'other' ? mail.why : 'forged_return_path');
    }
    if (mail.kind === 'delivery_notification') return this.#notify(recipients, statusesOf(mail));
    this.metrics.ignored(mail.why);
    if (mail.why === 'auto_reply') return;
    return this.#notify(recipients, [
      { action: 'not_understood', addresses: [], response: mail.text, bounceType: 'soft' },
    ]);
  }

  async #notify(recipients: readonly TrackedRecipient[], statuses: readonly NotifiedStatus[]): Promise<void> {
    const at = new Date().toISOString();
    await Promise.all(
      recipients.flatMap(({ emailId, recipientIndex: index }) =>
        statuses.map(status => this.#record(emailId, { kind: 'notified', index, status, at })),
      ),
    );
  }

  async #complain(
    mail: FeedbackReport,
    report: ReceivedReport,
    recipients: readonly TrackedRecipient[],
  ): Promise<void> {
    if (NO_COMPLAINTS.has(mail.feedbackType)) return this.metrics.ignored('not_a_complaint');
    const copy = recipients[0] ?? this.copies.find(mail, report.raw);
    if (!copy) return this.metrics.ignored('forged_return_path');
    if (!(await this.evidence.isGenuine(report, mail.from))) {
      return this.metrics.ignored('complaint_without_evidence');
    }
    const { recipientIndex: index } = copy;
    const source = [mail.feedbackType, mail.userAgent ?? mail.sourceIp].filter(part => part !== undefined).join(' ');
    const named = index === undefined ? { addresses: mail.originalRecipients } : { index };
    await this.#record(copy.emailId, { kind: 'complained', ...named, source, at: new Date().toISOString() });
  }

  async #record(emailId: string, signal: Signal): Promise<void> {
    const outcome = await this.signals.record(emailId, signal, 'mail');
    if (outcome.kind === 'ignored') this.metrics.ignored(outcome.cause);
  }
}

/** Email ids are UUIDs of version 7, ids of operators' probes of version 4 (RFC 9562 §4.2). */
const isProbe = (emailId: string): boolean => emailId.charAt(14) === '4';

function statusesOf({ perRecipient }: Notification): NotifiedStatus[] {
  const statuses = perRecipient.map(statusOf);
  if (statuses.length === 1) return statuses;
  const allAddresses = [...new Set(statuses.flatMap(({ addresses }) => addresses))];
  return statuses.map(status => ({ ...status, allAddresses }));
}

function statusOf(report: RecipientReport): NotifiedStatus {
  const { action, finalRecipient, originalRecipient, status, diagnostic, words } = report;
  const evidence = {
    ...(status === undefined ? {} : { status }),
    ...(diagnostic === undefined ? {} : { text: diagnostic }),
    ...(words === undefined ? {} : { words: words.slice(0, MAX_EVIDENCE) }),
    isFinal: action === 'failed',
  };
  const { type: bounceType, ...found } = classifyBounce(evidence);
  return {
    action,
    addresses: [...(finalRecipient?.spellings ?? []), ...(originalRecipient?.spellings ?? [])],
    response: diagnostic ?? [action, status].filter(part => part !== undefined).join(' '),
    bounceType,
    ...(action === 'failed' ? { classification: classificationOf(found), evidence } : {}),
  };
}
