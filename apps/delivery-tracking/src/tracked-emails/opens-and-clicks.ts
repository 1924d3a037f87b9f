import type { RequestOf, recordClick, recordOpen } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { boundedText } from './bounded-text.js';
import { machineReason, SEVERAL_LINKS_AT_ONCE } from './machine-detection.js';
import { publicEvent } from './public-event.js';
import { CLICKS_RECOGNISED_AS_MACHINE, type TrackedEmailEvent } from './tracked-email-events.js';
import { type Copy, type EmailFacts, type Engagements, NO_LINK, type TrackedEmail } from './tracked-email-state.js';

/** Repeats of one fetch, by a client or by the queue of the gateway. */
const REPEATED_WITHIN_MS = 2_000;
/** Limit per recipient, separately for opens and clicks, people and machines. */
const MAX_ENGAGEMENTS = 100;
/** Clicks on different links within this time come from a scanner. */
const SCANNER_INTERVAL_MS = 1_000;

/** Publishes an open unless it repeats another one. */
export function decideOpen(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  seen: RequestOf<typeof recordOpen>,
): TrackedEmailEvent[] {
  const reason = reasonOf(copy, seen);
  if (!isNew(reason ? copy.machineOpens : copy.personOpens, NO_LINK, seen.at)) return [];
  return [
    publicEvent.opened(state, facts, copy, seen.at, {
      user_agent: boundedText(seen.user_agent, 500),
      ip: boundedText(seen.ip, 64),
      ...machine(reason),
    }),
  ];
}

/**
 * Publishes a click unless it repeats another one on the same link. A second link within one second
 * marks a scanner, and reclassifies the earlier clicks that were published as a person's.
 */
export function decideClick(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  seen: RequestOf<typeof recordClick>,
): TrackedEmailEvent[] {
  const url = seen.url.slice(0, 4_096);
  const scanned = hasOtherLinkAt(copy.personClicks, url, seen.at) || hasOtherLinkAt(copy.machineClicks, url, seen.at);
  const reason = reasonOf(copy, seen) ?? (scanned ? SEVERAL_LINKS_AT_ONCE : undefined);
  if (!isNew(reason ? copy.machineClicks : copy.personClicks, url, seen.at)) return [];
  const click = publicEvent.clicked(state, facts, copy, seen.at, { url, ...machine(reason) });
  if (reason !== SEVERAL_LINKS_AT_ONCE || copy.personClicks.length === 0) return [click];
  return [
    {
      type: CLICKS_RECOGNISED_AS_MACHINE,
      data: { email_id: facts.email_id, recipient_index: copy.index, at: seen.at, reason },
    },
    click,
  ];
}

function reasonOf(copy: Copy, { user_agent, at, prefetch }: RequestOf<typeof recordOpen>) {
  const { handedOverAt, deliveredAt } = copy;
  const userAgent = user_agent.slice(0, 1_000).trim();
  return machineReason({ userAgent, isPrefetch: prefetch === true, at, handedOverAt, deliveredAt });
}

/**
 * Compares with every engagement and not only the last one, because they can arrive out of order.
 * @throws {Refusal} `too_many_openings` when the limit is reached.
 */
function isNew(engagements: Engagements, link: string, at: string): boolean {
  if (engagements.length >= MAX_ENGAGEMENTS)
    throw new Refusal('too_many_openings', 'the limit of opens and clicks for this recipient is reached');
  const timeMs = Date.parse(at);
  return !engagements.some(other => other.link === link && Math.abs(other.timeMs - timeMs) < REPEATED_WITHIN_MS);
}

const hasOtherLinkAt = (engagements: Engagements, url: string, at: string): boolean =>
  engagements.some(({ link, timeMs }) => link !== url && Math.abs(timeMs - Date.parse(at)) < SCANNER_INTERVAL_MS);

const machine = (reason: string | undefined) =>
  reason === undefined ? {} : { machine: true as const, machine_reason: reason };
