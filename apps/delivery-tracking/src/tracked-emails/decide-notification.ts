import { Refusal } from '@postern/contracts/refusal';
import { addressKey } from '@postern/mail';
import { boundedText } from './bounded-text.js';
import { ruleOf } from './evolve-tracked-email.js';
import { isSuppressedReason } from './hand-over-event.js';
import { classifyByOwnRules } from './own-bounce-rules.js';
import { publicEvent } from './public-event.js';
import type { NotifiedStatus, Signal, SignalRefusal } from './signal.js';
import {
  BOUNCE_RECLASSIFIED,
  DELIVERY_DELAYED,
  NOTICE_NOT_UNDERSTOOD,
  type TrackedEmailEvent,
} from './tracked-email-events.js';
import { type Copy, type EmailFacts, isSettled, type TrackedEmail } from './tracked-email-state.js';

/** Limit of timeline entries, because anybody with a copy can send mail to its return path. */
const MAX_NOT_UNDERSTOOD = 5;

/** The events that one notification about one copy causes. Each copy is delivered once and bounces once. */
export function decideNotification(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  { status, at }: Extract<Signal, { kind: 'notified' }>,
): TrackedEmailEvent[] {
  const { email_id, service_id } = facts;
  if (status.action === 'not_understood') {
    if (copy.noticesNotUnderstood >= MAX_NOT_UNDERSTOOD) {
      throw refused('too_many_notices', 'the recipient has enough notices that were not understood');
    }
    const text = boundedText(status.response, 2_000);
    return [{ type: NOTICE_NOT_UNDERSTOOD, data: { email_id, service_id, index: copy.index, at, text } }];
  }
  const other =
    otherAddress(state, copy, status) ?? (status.action === 'failed' ? forwardedTo(copy, status) : undefined);
  const response = boundedText(other === undefined ? status.response : `${other}: ${status.response}`, 1_000);
  switch (status.action) {
    case 'delivered':
    case 'relayed':
    case 'expanded':
      if (other !== undefined) throw refused('report_for_another_recipient', `the report is about ${other}`);
      return copy.deliveredAt ? [] : [publicEvent.delivered(state, facts, copy, at, { smtp_response: response })];
    case 'failed': {
      if (copy.bounced) return [];
      // A forwarded address can be dead while the recipient's own is not.
      const { bounceType, classification } = classifyByOwnRules(state.ownRules, copy.address, response) ?? status;
      const bounce_type = other === undefined ? bounceType : 'soft';
      const event = publicEvent.bounced(state, facts, copy, at, { bounce_type, reason: response });
      return [classification === undefined ? event : { ...event, data: { ...event.data, classification } }];
    }
    case 'delayed':
      return isSettled(copy)
        ? []
        : [
            {
              type: DELIVERY_DELAYED,
              data: { email_id, service_id, recipient_index: copy.index, at, reason: response },
            },
          ];
  }
}

/** A changed type is published as a bounce again; a changed rule only changes the timeline. */
export function decideReclassification(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  { at, ...byPostern }: Pick<Extract<Signal, { kind: 'reclassified' }>, 'bounceType' | 'classification' | 'at'>,
): TrackedEmailEvent[] {
  if (!copy.bounce) return [];
  const { type: old_type, reason, rule } = copy.bounce;
  const { bounceType, classification } = classifyByOwnRules(state.ownRules, copy.address, reason) ?? byPostern;
  const new_type = isAboutAnother(copy, reason) ? 'soft' : bounceType;
  if (old_type === new_type && rule === ruleOf(classification)) return [];
  const data = { email_id: facts.email_id, index: copy.index, at, old_type, new_type, classification };
  const reclassified = { type: BOUNCE_RECLASSIFIED, data } as const;
  if (old_type === new_type) return [reclassified];
  const bounced = publicEvent.bounced(state, facts, copy, at, { bounce_type: new_type, reason });
  return [reclassified, { ...bounced, data: { ...bounced.data, classification } }];
}

/** Applies the rules of the owner to a bounce; nothing changes if none matches, or if the suppression list caused the bounce. */
export function decideCorrection(state: TrackedEmail, facts: EmailFacts, copy: Copy, at: string): TrackedEmailEvent[] {
  const { reason } = copy.bounce ?? {};
  if (reason === undefined || isSuppressedReason(reason)) return [];
  const own = classifyByOwnRules(state.ownRules, copy.address, reason);
  return own ? decideReclassification(state, facts, copy, { ...own, at }) : [];
}

/**
 * The address that a forwarded message failed for, if the report is not about the recipient. Reports about another
 * recipient of the same message belong to that recipient's return path.
 */
function otherAddress(
  { copies }: TrackedEmail,
  copy: Copy,
  { addresses, allAddresses = addresses }: NotifiedStatus,
): string | undefined {
  const keys = addresses.map(addressKey);
  const own = addressKey(copy.address);
  if (keys.length === 0 || keys.includes(own)) return undefined;
  const others = new Set([...copies.values()].map(({ address }) => addressKey(address)));
  if (allAddresses.map(addressKey).includes(own) || keys.some(key => others.has(key))) {
    throw refused('report_for_another_recipient', 'the report is about a different recipient than its return path');
  }
  return boundedText(addresses[0]!, 320);
}

/**
 * The final recipient of a report, if its domain is unrelated to that of the original recipient: an alias in the same
 * domain counts as the recipient, a forward to another domain does not.
 */
function forwardedTo({ address }: Copy, { addresses: [final] }: NotifiedStatus): string | undefined {
  if (final === undefined) return undefined;
  const [own, domain] = [address, final].map(value => `.${addressKey(value).split('@').at(-1)}`) as [string, string];
  return own.endsWith(domain) || domain.endsWith(own) ? undefined : boundedText(final, 320);
}

/** Whether the reason of a bounce starts with an address other than the recipient's, as `decideNotification` writes it. */
function isAboutAnother({ address }: Copy, reason: string): boolean {
  const [, named] = /^([^\s@]+@[^\s:]+): /.exec(reason) ?? [];
  return named !== undefined && addressKey(named) !== addressKey(address);
}

const refused = (code: SignalRefusal, message: string): Refusal<SignalRefusal> => new Refusal(code, message);
