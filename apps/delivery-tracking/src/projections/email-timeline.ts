import type { DataOf, emailHandedOver, timelineEntry } from '@postern/contracts';
import type { z } from 'zod';
import {
  CLICKS_RECOGNISED_AS_MACHINE,
  COPY_RETRIED,
  DELIVERY_DELAYED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTIFICATION_MISSED,
  type TrackedEmailEvent,
} from '../domain/tracked-email-events.js';

export type TimelineEntry = z.output<typeof timelineEntry>;
type CopyOutcome = DataOf<typeof emailHandedOver>['outcomes'][number];

/** An email's story as people read it, in the order in which things happened. */
export function timelineOf(events: readonly TrackedEmailEvent[]): TimelineEntry[] {
  const addresses = new Map<number, string>();
  const entries: TimelineEntry[] = [];
  for (const event of events) {
    if (event.type === EMAIL_TRACKED)
      for (const { index, address } of event.data.recipients) addresses.set(index, address);
    entries.push(...entriesOf(event, index => addresses.get(index) ?? null));
  }
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function entriesOf(event: TrackedEmailEvent, addressOf: (index: number) => string | null): TimelineEntry[] {
  switch (event.type) {
    case EMAIL_TRACKED:
      return [{ at: event.data.accepted_at, kind: 'accepted', recipient: null, detail: event.data.subject }];
    case HAND_OVER_RECORDED:
      return event.data.outcomes.map(tryEntry);
    case COPY_RETRIED:
      return [tryEntry(event.data.outcome)];
    case HAND_OVER_FAILED:
      return [{ at: event.data.at, kind: 'not_handed_over', recipient: null, detail: event.data.reason }];
    case HAND_OVER_INTERRUPTED:
      return [{ at: event.data.at, kind: 'interrupted', recipient: null, detail: 'interrupted: outcome unknown' }];
    case DELIVERY_DELAYED:
    case NOTIFICATION_MISSED:
    case CLICKS_RECOGNISED_AS_MACHINE:
      return [
        {
          at: event.data.at,
          kind: PRIVATE_KINDS[event.type],
          recipient: addressOf(event.data.recipient_index),
          detail: event.data.reason,
        },
      ];
    default:
      return [
        { at: event.data.timestamp, kind: kindOf(event.type), recipient: event.data.to, detail: detailOf(event) },
      ];
  }
}

const PRIVATE_KINDS = {
  [DELIVERY_DELAYED]: 'delayed',
  [NOTIFICATION_MISSED]: 'unknown',
  [CLICKS_RECOGNISED_AS_MACHINE]: 'clicks_by_machine',
} as const;

const KINDS_OF_TRIES: Readonly<Record<CopyOutcome['result'], string>> = {
  accepted: 'handed_over',
  refused: 'refused',
  deferred: 'deferred',
  suppressed: 'suppressed',
  expired: 'expired',
  unknown: 'outcome_unknown',
};

const tryEntry = ({ at, result, address, smtp_response, relay }: CopyOutcome): TimelineEntry => ({
  at,
  kind: KINDS_OF_TRIES[result],
  recipient: address,
  detail: relay === null ? smtp_response : `${smtp_response} (${relay})`,
});

/** `delivery-tracking.email-delivered.v1` is `delivered`. */
const kindOf = (type: string): string => type.replace(/^.*\.email-|\.v\d+$/g, '');

function detailOf(event: Extract<TrackedEmailEvent, { data: { timestamp: string } }>): string {
  switch (event.type) {
    case 'delivery-tracking.email-delivered.v1':
      return event.data.data.smtp_response;
    case 'delivery-tracking.email-bounced.v1':
      return `${event.data.data.bounce_type}: ${event.data.data.reason}`;
    case 'delivery-tracking.email-complained.v1':
      return event.data.data.source;
    case 'delivery-tracking.email-opened.v1':
      return withMachine(`${event.data.data.user_agent} from ${event.data.data.ip}`, event.data.data.machine_reason);
    case 'delivery-tracking.email-clicked.v1':
      return withMachine(event.data.data.url, event.data.data.machine_reason);
  }
}

const withMachine = (detail: string, reason: string | undefined): string =>
  reason === undefined ? detail : `${detail} (a machine: ${reason})`;
