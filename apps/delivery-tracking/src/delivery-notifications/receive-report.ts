import { Injectable } from '@nestjs/common';
import type { TrackedRecipient } from '@postern/mail';
import { classifyBounce, type InboundMail, type RecipientReport, readInboundMail, TrackingTokens } from '@postern/mail';
import { EmailSignals } from '../tracked-emails/ports.js';
import type { NotifiedStatus, Signal } from '../tracked-emails/signal.js';
import { ComplaintEvidence, type ReceivedReport, ReportMetrics, ReturnPathProbes } from './ports.js';

type Notification = Extract<InboundMail, { kind: 'delivery_notification' }>;
type FeedbackReport = Extract<InboundMail, { kind: 'feedback_report' }>;

/** A signed return path: 18 bytes of payload and 12 of signature are 48 base32 characters. */
const RETURN_PATH = /b\+[a-z2-7]{48}(?![a-z2-7])/gi;
const FEEDBACK_MAILBOX = 'fbl';
const NO_COMPLAINTS: ReadonlySet<string> = new Set(['not-spam', 'auth-failure', 'dmarc']);

/**
 * Processes a message to a return path or the feedback mailbox. A message without effect is counted by cause; the
 * sender is not told, because it can be anybody.
 */
@Injectable()
export class ReceiveReport {
  constructor(
    private readonly tokens: TrackingTokens,
    private readonly signals: EmailSignals,
    private readonly metrics: ReportMetrics,
    private readonly probes: ReturnPathProbes,
    private readonly evidence: ComplaintEvidence,
  ) {}

  /** Whether the mailbox exists: the feedback mailbox, or a return path with a valid signature. */
  accepts(localPart: string): boolean {
    if (localPart.toLowerCase() === FEEDBACK_MAILBOX) return true;
    const valid = this.tokens.readReturnPathToken(localPart) !== undefined;
    if (!valid) this.metrics.ignored('forged_return_path');
    return valid;
  }

  /** Resolves once the effect is durable, or once it is clear that there is none. */
  async execute(report: ReceivedReport): Promise<void> {
    const mail = readInboundMail(report.raw);
    const recipients = report.localParts
      .map(localPart => this.tokens.readReturnPathToken(localPart))
      .filter(recipient => recipient !== undefined);
    const probes = recipients.filter(({ emailId }) => isProbe(emailId));
    for (const { emailId } of probes) this.probes.arrived(emailId);
    if (probes.length > 0) return;
    if (mail.kind === 'other') return this.metrics.ignored(mail.why);
    if (mail.kind === 'feedback_report') return this.#complain(mail, report, recipients);
    // RFC 3464 §2: notifications have the null sender, so other senders are not mail systems.
    if (report.sender !== '') return this.metrics.ignored('sender_not_null');
    if (recipients.length === 0) return this.metrics.ignored('forged_return_path');
    return this.#notify(mail, recipients);
  }

  async #notify({ perRecipient }: Notification, recipients: readonly TrackedRecipient[]): Promise<void> {
    const at = new Date().toISOString();
    await Promise.all(
      recipients.flatMap(recipient =>
        perRecipient.map(report =>
          this.#record(recipient, { kind: 'notified', index: recipient.recipientIndex, status: statusOf(report), at }),
        ),
      ),
    );
  }

  async #complain(
    mail: FeedbackReport,
    report: ReceivedReport,
    recipients: readonly TrackedRecipient[],
  ): Promise<void> {
    if (NO_COMPLAINTS.has(mail.feedbackType)) return this.metrics.ignored('not_a_complaint');
    const recipient = recipients[0] ?? this.#recipientNamedIn(mail, report.raw);
    if (!recipient) return this.metrics.ignored('forged_return_path');
    if (!(await this.evidence.isGenuine(report, mail.from))) {
      return this.metrics.ignored('complaint_without_evidence');
    }
    const source = [mail.feedbackType, mail.userAgent ?? mail.sourceIp].filter(part => part !== undefined).join(' ');
    await this.#record(recipient, {
      kind: 'complained',
      index: recipient.recipientIndex,
      source,
      at: new Date().toISOString(),
    });
  }

  /** Reads `Original-Mail-From`, or else the only return path in the attached original. */
  #recipientNamedIn({ originalMailFrom }: FeedbackReport, raw: Uint8Array): TrackedRecipient | undefined {
    const localPart = originalMailFrom?.slice(0, originalMailFrom.lastIndexOf('@'));
    const named = localPart === undefined ? undefined : this.tokens.readReturnPathToken(localPart);
    if (named) return named;
    const found = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1').match(RETURN_PATH) ?? [];
    const [only, ...others] = new Set(found.slice(0, 100).map(token => token.toLowerCase()));
    return only !== undefined && others.length === 0 ? this.tokens.readReturnPathToken(only) : undefined;
  }

  async #record({ emailId }: TrackedRecipient, signal: Signal): Promise<void> {
    const outcome = await this.signals.record(emailId, signal, 'mail');
    if (outcome.kind === 'ignored') this.metrics.ignored(outcome.cause);
  }
}

/** Email ids are UUIDs of version 7, ids of operators' probes of version 4 (RFC 9562 §4.2). */
const isProbe = (emailId: string): boolean => emailId.charAt(14) === '4';

function statusOf({ action, finalRecipient, originalRecipient, status, diagnostic }: RecipientReport): NotifiedStatus {
  const { type: bounceType } = classifyBounce({
    ...(status === undefined ? {} : { status }),
    ...(diagnostic === undefined ? {} : { text: diagnostic }),
  });
  return {
    action,
    addresses: [...(finalRecipient?.spellings ?? []), ...(originalRecipient?.spellings ?? [])],
    response: diagnostic ?? [action, status].filter(part => part !== undefined).join(' '),
    bounceType,
  };
}
