import type { RequestOf, recordClick, recordOpen } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { boundedText } from './bounded-text.js';
import { machineReason, SEVERAL_LINKS_AT_ONCE } from './machine-detection.js';
import { outcome } from './public-event.js';
import { CLICKS_RECOGNISED_AS_MACHINE, type TrackedEmailEvent } from './tracked-email-events.js';
import { type Copy, type EmailFacts, OPENING, type TrackedEmail, type Visits } from './tracked-email-state.js';

/** One opening a minute (and one click of the same link a minute) is told, and so many of a recipient in all. */
const REPEATS_AFTER_MS = 60_000;
const MOST_VISITS = 100;
const AT_ONCE_MS = 1_000;

/** A fetched pixel: told unless the recipient opened within the last minute or a hundred times already. */
export function openingOf(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  seen: RequestOf<typeof recordOpen>,
): TrackedEmailEvent[] {
  const reason = reasonOf(copy, seen);
  if (!hasRoom(reason ? copy.machineOpenings : copy.personOpenings, OPENING, seen.at)) return [];
  return [
    outcome.opened(state, facts, copy, seen.at, {
      user_agent: boundedText(seen.user_agent, 500),
      ip: boundedText(seen.ip, 64),
      ...machine(reason),
    }),
  ];
}

/**
 * A followed link: told unless the recipient followed the same one within the last minute or a hundred times in all.
 * A second link within a second shows a scanner, also in the click that was told as a person's just before.
 */
export function clickOf(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  seen: RequestOf<typeof recordClick>,
): TrackedEmailEvent[] {
  const url = seen.url.slice(0, 4_096);
  const earlier = atOnce(copy.personClicks, url, seen.at) || atOnce(copy.machineClicks, url, seen.at);
  const reason = reasonOf(copy, seen) ?? (earlier ? SEVERAL_LINKS_AT_ONCE : undefined);
  if (!hasRoom(reason ? copy.machineClicks : copy.personClicks, url, seen.at)) return [];
  const click = outcome.clicked(state, facts, copy, seen.at, { url, ...machine(reason) });
  if (reason !== SEVERAL_LINKS_AT_ONCE || copy.personClicks.length === 0) return [click];
  return [
    {
      type: CLICKS_RECOGNISED_AS_MACHINE,
      data: { email_id: facts.email_id, recipient_index: copy.index, at: seen.at, reason },
    },
    click,
  ];
}

function reasonOf(copy: Copy, { user_agent, at }: { readonly user_agent: string; readonly at: string }) {
  const { handedOverAt, deliveredAt } = copy;
  return machineReason({ userAgent: user_agent.slice(0, 1_000).trim(), at, handedOverAt, deliveredAt });
}

/**
 * Compared with every visit and not only the last one, for visits may be told out of order.
 * @throws {Refusal} `too_many_openings` once the recipient has used up what is told of anybody.
 */
function hasRoom(visits: Visits, link: string, at: string): boolean {
  if (visits.length >= MOST_VISITS) throw new Refusal('too_many_openings', 'no more openings of this copy are told');
  const timeMs = Date.parse(at);
  return !visits.some(visit => visit.link === link && Math.abs(visit.timeMs - timeMs) < REPEATS_AFTER_MS);
}

const atOnce = (visits: Visits, url: string, at: string): boolean =>
  visits.some(({ link, timeMs }) => link !== url && Math.abs(timeMs - Date.parse(at)) < AT_ONCE_MS);

const machine = (reason: string | undefined) =>
  reason === undefined ? {} : { machine: true as const, machine_reason: reason };
