import { Injectable } from '@nestjs/common';
import type { TrackedRecipient } from '@postern/mail';
import { classifyBounce, type InboundMail, type RecipientReport, readInboundMail, TrackingTokens } from '@postern/mail';
import type { NotifiedStatus, Signal } from '../tracked-emails/signal.js';
import { type ReceivedReport, ReturnPathArrivals, TrackingCounters } from '../tracked-emails/ports.js';
import { SignalGroups } from '../tracked-emails/grouped-signals.js';
import { signalMetadata } from '../tracked-emails/signal-metadata.js';

type Notification = Extract<InboundMail, { kind: 'delivery_notification' }>;
type FeedbackReport = Extract<InboundMail, { kind: 'feedback_report' }>;

/** A return path of ours anywhere in a report: 18 bytes of subject and 12 of signature make 48 letters. */
const RETURN_PATH = /b\+[a-z2-7]{48}(?![a-z2-7])/gi;
const FEEDBACK_ADDRESS = 'fbl';
const NO_COMPLAINTS: ReadonlySet<string> = new Set(['not-spam', 'auth-failure', 'dmarc']);

/**
 * Takes a message that came to a return path or the feedback address. Resolves once its effect is durable, or once it
 * is clear that it has none: then its cause is counted, and the sender is not told, for it may be anybody.
 */
@Injectable()
export class ReceiveReport {
  constructor(
    private readonly tokens: TrackingTokens,
    private readonly signals: SignalGroups,
    private readonly counters: TrackingCounters,
    private readonly arrivals: ReturnPathArrivals,
  ) {}

  /** Whether mail for this local part is worth taking: our feedback address, or a return path that we signed. */
  knows(localPart: string): boolean {
    if (localPart.toLowerCase() === FEEDBACK_ADDRESS) return true;
    const known = this.tokens.readReturnPathToken(localPart) !== undefined;
    if (!known) this.counters.ignoredReport('forged_return_path');
    return known;
  }

  async execute(report: ReceivedReport): Promise<void> {
    const mail = readInboundMail(report.raw);
    const concerned = report.localParts
      .map(localPart => this.tokens.readReturnPathToken(localPart))
      .filter(recipient => recipient !== undefined);
    const probes = concerned.filter(({ emailId }) => isProbe(emailId));
    for (const { emailId } of probes) this.arrivals.tell(emailId);
    if (probes.length > 0) return;
    if (mail.kind === 'other') return this.counters.ignoredReport(mail.why);
    if (mail.kind === 'feedback_report') return this.#complain(mail, report, concerned);
    // RFC 3464 §2: notifications have the null sender. Whoever uses another one is no mail system.
    if (report.sender !== '') return this.counters.ignoredReport('sender_not_null');
    if (concerned.length === 0) return this.counters.ignoredReport('forged_return_path');
    return this.#notify(mail, concerned);
  }

  async #notify({ perRecipient }: Notification, concerned: readonly TrackedRecipient[]): Promise<void> {
    const at = new Date().toISOString();
    await Promise.all(
      concerned.flatMap(recipient =>
        perRecipient.map(report =>
          this.#record(recipient, { kind: 'notified', index: recipient.recipientIndex, status: statusOf(report), at }),
        ),
      ),
    );
  }

  async #complain(
    mail: FeedbackReport,
    { raw }: ReceivedReport,
    concerned: readonly TrackedRecipient[],
  ): Promise<void> {
    if (NO_COMPLAINTS.has(mail.feedbackType)) return this.counters.ignoredReport('not_a_complaint');
    const recipient = concerned[0] ?? this.#recipientNamedIn(mail, raw);
    if (!recipient) return this.counters.ignoredReport('forged_return_path');
    const source = [mail.feedbackType, mail.userAgent ?? mail.sourceIp].filter(part => part !== undefined).join(' ');
    await this.#record(recipient, {
      kind: 'complained',
      index: recipient.recipientIndex,
      source,
      at: new Date().toISOString(),
    });
  }

  /** Who complains: the report's own field, else the one return path that the attached original carries. */
  #recipientNamedIn({ originalMailFrom }: FeedbackReport, raw: Uint8Array): TrackedRecipient | undefined {
    const named = originalMailFrom?.slice(0, originalMailFrom.lastIndexOf('@'));
    const told = named === undefined ? undefined : this.tokens.readReturnPathToken(named);
    if (told) return told;
    const found = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1').match(RETURN_PATH) ?? [];
    const [only, ...others] = new Set(found.slice(0, 100).map(token => token.toLowerCase()));
    return only !== undefined && others.length === 0 ? this.tokens.readReturnPathToken(only) : undefined;
  }

  async #record({ emailId }: TrackedRecipient, signal: Signal): Promise<void> {
    const fate = await this.signals.record({ emailId, signal, metadata: signalMetadata('mail') });
    if (fate.kind === 'ignored') this.counters.ignoredReport(fate.cause);
  }
}

/** Ids of emails are of version 7, those of an operator's probes of version 4 (RFC 9562 §4.2). */
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
