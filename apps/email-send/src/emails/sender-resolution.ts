import { addressKey, type Mailbox } from '@postern/mail';
import type { WithdrawalReason } from '../relay/hand-over.js';
import type { EmailDraft, Recipient } from './email-draft.js';
import { emailRefusal } from './email-refusals.js';

export type EmailMode = 'production' | 'sandbox' | 'sandbox_fallback';

/** The part of an email service that determines its sender address. */
export interface SenderStatus {
  readonly serviceId: string;
  readonly mode: 'sandbox' | 'production';
  readonly verifiedDomains: ReadonlyMap<string, unknown>;
  readonly registeredDomains: ReadonlySet<string>;
  readonly verifiedRecipients: ReadonlySet<string>;
}

/** The headers of the sent message, and the reason for them. */
export interface ResolvedSender {
  readonly mode: EmailMode;
  readonly from: Mailbox;
  readonly replyTo: readonly Mailbox[];
  /** Precedes the outcome in the record; absent in production. */
  readonly note?: string;
}

/**
 * Chooses the From address of a message. A sandbox service always uses the shared sandbox sender; a production service
 * uses its own address if exactly that domain is verified, and the sandbox sender otherwise.
 */
export function resolveSender(draft: EmailDraft, sender: SenderStatus, sandboxSender: Mailbox): ResolvedSender {
  const { from, replyTo } = draft;
  if (sender.mode === 'production' && sender.verifiedDomains.has(from.domain)) {
    return { mode: 'production', from, replyTo };
  }
  const throughSandbox = { from: sandboxSender, replyTo: withoutRepeats([from, ...replyTo]) };
  if (sender.mode === 'sandbox') {
    return {
      ...throughSandbox,
      mode: 'sandbox',
      note: `Sandbox: sent from ${sandboxSender.address}, replies go to ${from.address}.`,
    };
  }
  const reason = sender.registeredDomains.has(from.domain)
    ? 'is registered but not verified yet'
    : 'is not a verified domain of this email service';
  return {
    ...throughSandbox,
    mode: 'sandbox_fallback',
    note: `Sent through the sandbox sender ${sandboxSender.address}, because ${from.domain} ${reason}.`,
  };
}

/** In sandbox mode every recipient must be verified; addresses of the simulator always are. */
export function checkRecipientsVerified(
  recipients: readonly Recipient[],
  sender: SenderStatus,
  simulatorDomain: string | undefined,
): void {
  if (sender.mode !== 'sandbox') return;
  for (const { address } of recipients) {
    if (isVerified(address, sender, simulatorDomain)) continue;
    throw emailRefusal('recipient_not_verified', `${address} is not a verified sandbox recipient of this service`, {
      service_id: sender.serviceId,
    });
  }
}

/**
 * Why the service may not hand over a copy that waited, as it is now. Mail that was accepted in sandbox mode stays behind
 * the gate, even after the service moved to production.
 */
export function withdrawalOf(
  copy: { readonly mode: EmailMode; readonly address: string },
  sender: Pick<SenderStatus, 'verifiedRecipients'> & { readonly enabled: boolean },
  simulatorDomain: string | undefined,
): WithdrawalReason | undefined {
  if (!sender.enabled) return 'service_disabled';
  if (copy.mode === 'sandbox' && !isVerified(copy.address, sender, simulatorDomain)) return 'recipient_removed';
  return undefined;
}

/** Messages sent only to the simulator are counted in neither quota nor statistics. */
export function countsTowardsQuota(recipients: readonly Recipient[], simulatorDomain: string | undefined): boolean {
  return !recipients.every(({ address }) => isAtDomain(address, simulatorDomain));
}

/** Whether a production service reaches a recipient that is not verified through the sender that all tenants share. */
export function countsOnSharedSender(
  mode: EmailMode,
  recipients: readonly Recipient[],
  sender: Pick<SenderStatus, 'verifiedRecipients'>,
  simulatorDomain: string | undefined,
): boolean {
  if (mode !== 'sandbox_fallback') return false;
  return recipients.some(({ address }) => !isVerified(address, sender, simulatorDomain));
}

function isVerified(
  address: string,
  { verifiedRecipients }: Pick<SenderStatus, 'verifiedRecipients'>,
  simulatorDomain: string | undefined,
): boolean {
  return isAtDomain(address, simulatorDomain) || verifiedRecipients.has(addressKey(address));
}

function isAtDomain(address: string, domain: string | undefined): boolean {
  return domain !== undefined && address.slice(address.lastIndexOf('@') + 1) === domain;
}

function withoutRepeats(mailboxes: readonly Mailbox[]): Mailbox[] {
  const keys = mailboxes.map(mailbox => addressKey(mailbox.address));
  return mailboxes.filter((_, index) => keys.indexOf(keys[index]!) === index);
}
