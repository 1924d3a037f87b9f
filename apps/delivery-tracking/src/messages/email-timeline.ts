import type { DataOf, emailHandedOver, getTrackedEmail, ReplyOf } from '@postern/contracts';
import { isOwnRule } from '../tracked-emails/own-bounce-rules.js';
import { resultOf } from '../tracked-emails/recipient-row.js';
import type { BounceClassification } from '../tracked-emails/signal.js';
import {
  BOUNCE_RECLASSIFIED,
  CLICKS_RECOGNISED_AS_MACHINE,
  COPY_RETRIED,
  DELIVERY_DELAYED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTICE_NOT_UNDERSTOOD,
  NOTIFICATION_MISSED,
  type PublicEvent,
  RECIPIENT_UNSUBSCRIBED,
  type TrackedEmailEvent,
} from '../tracked-emails/tracked-email-events.js';
import { applyToRow, type TrackedEmailRow } from '../tracked-emails/tracked-email-row.js';
import { inCausalOrder, type Stage } from './causal-order.js';

export type TimelineEntry = ReplyOf<typeof getTrackedEmail>['timeline'][number];
type HandOver = DataOf<typeof emailHandedOver>['outcomes'][number];

type TimelineStep = TimelineEntry & { readonly stage: Stage };

/** The timeline of an email, causes before effects; see `inCausalOrder`. */
export function timelineOf(events: readonly TrackedEmailEvent[]): TimelineEntry[] {
  const row = events.reduce<TrackedEmailRow | undefined>(applyToRow, undefined);
  if (!row) return [];
  const entries = [...events.flatMap(event => entriesOf(event, row)), ...inferredHandOvers(events, row)];
  return inCausalOrder(entries).map(({ stage: _, ...entry }) => entry);
}

function entriesOf(event: TrackedEmailEvent, row: TrackedEmailRow): TimelineStep[] {
  switch (event.type) {
    case EMAIL_TRACKED: {
      const { accepted_at: at, subject: detail } = event.data;
      return [{ at, kind: 'accepted', recipient: null, detail, stage: 'acceptance' }];
    }
    case HAND_OVER_RECORDED:
      return event.data.outcomes.map(handOverEntry);
    case COPY_RETRIED:
      return [handOverEntry(event.data.outcome)];
    case HAND_OVER_FAILED: {
      const { at, reason: detail } = event.data;
      return [{ at, kind: 'not_handed_over', recipient: null, detail, stage: 'hand_over' }];
    }
    case HAND_OVER_INTERRUPTED: {
      const { at } = event.data;
      return [{ at, kind: 'interrupted', recipient: null, detail: interruptionOf(row), stage: 'hand_over' }];
    }
    case DELIVERY_DELAYED:
    case NOTIFICATION_MISSED:
    case CLICKS_RECOGNISED_AS_MACHINE: {
      const { at, recipient_index, reason: detail } = event.data;
      const recipient = addressAt(row, recipient_index);
      return [{ at, recipient, detail, ...PRIVATE_EVENTS[event.type] }];
    }
    case NOTICE_NOT_UNDERSTOOD: {
      const { at, index, text: detail } = event.data;
      return [{ at, kind: 'notice_not_understood', recipient: addressAt(row, index), detail, stage: 'report' }];
    }
    case RECIPIENT_UNSUBSCRIBED: {
      const { at, index } = event.data;
      const detail = 'with the link of the message; the address is suppressed';
      return [{ at, kind: 'unsubscribed', recipient: addressAt(row, index), detail, stage: 'reaction' }];
    }
    case BOUNCE_RECLASSIFIED: {
      const { at, index, old_type, new_type, classification } = event.data;
      const change = old_type === new_type ? `still ${new_type}` : `${new_type} instead of ${old_type}`;
      const by = isOwnRule(classification) ? 'a rule of the email service' : 'a newer rule';
      const detail = `${change}, by ${by}`;
      const recipient = addressAt(row, index);
      return [
        { at, kind: 'bounce_reclassified', recipient, detail, ...explanationOf(classification), stage: 'report' },
      ];
    }
    default: {
      const { timestamp: at, to: recipient } = event.data;
      const explanation = 'classification' in event.data ? explanationOf(event.data.classification) : {};
      const [kind, detail, stage] = [kindOf(event.type), detailOf(event), STAGE_OF_EVENT[event.type]];
      return [{ at, kind, recipient, detail, ...explanation, stage }];
    }
  }
}

const addressAt = ({ recipients }: TrackedEmailRow, at: number): string | null =>
  recipients.find(({ index }) => index === at)?.address ?? null;

function explanationOf(classification: BounceClassification | undefined): Partial<TimelineEntry> {
  if (!classification) return {};
  const { rule, rules_version, advice } = classification;
  return { rule, rules_version, advice };
}

/** The consequence of an interruption, as far as known. */
function interruptionOf({ recipients }: TrackedEmailRow): string {
  const unknown = recipients.filter(recipient => resultOf(recipient) === 'unknown');
  if (unknown.length === recipients.length) return 'interrupted: outcome unknown';
  if (unknown.length > 0) return `interrupted: outcome unknown for ${unknown.map(({ address }) => address).join(', ')}`;
  return recipients.some(({ interrupted }) => interrupted)
    ? "interrupted: the relay's answer was not recorded; later reports show that it accepted the message"
    : "interrupted: the relay's answer was recorded later";
}

/** Hand-overs that were not recorded: the first report about a copy proves that the relay accepted it. */
function inferredHandOvers(events: readonly TrackedEmailEvent[], { recipients }: TrackedEmailRow): TimelineStep[] {
  return recipients.flatMap(recipient => {
    if (recipient.copy === 'taken' || resultOf(recipient) !== 'sent') return [];
    const reports = events.filter(isPublicEvent).filter(({ data }) => data.recipient_index === recipient.index);
    // A bounce can be the relay's own refusal, so it comes last.
    const [first] = reports.toSorted((a, b) => Number(isBounce(a)) - Number(isBounce(b)) || timeOf(a) - timeOf(b));
    if (!first) return [];
    const detail = `shown by a later report: ${kindOf(first.type)}`;
    return [
      {
        at: first.data.timestamp,
        kind: 'handed_over',
        recipient: recipient.address,
        detail,
        stage: 'inferred_hand_over',
      },
    ];
  });
}

const isPublicEvent = (event: TrackedEmailEvent): event is PublicEvent => event.type in STAGE_OF_EVENT;
const isBounce = ({ type }: PublicEvent): boolean => type === 'delivery-tracking.email-bounced.v1';
const timeOf = ({ data }: PublicEvent): number => Date.parse(data.timestamp);

const STAGE_OF_EVENT: Readonly<Record<PublicEvent['type'], Stage>> = {
  'delivery-tracking.email-delivered.v1': 'arrival',
  'delivery-tracking.email-bounced.v1': 'report',
  'delivery-tracking.email-complained.v1': 'reaction',
  'delivery-tracking.email-opened.v1': 'reaction',
  'delivery-tracking.email-clicked.v1': 'reaction',
};

const PRIVATE_EVENTS = {
  [DELIVERY_DELAYED]: { kind: 'delayed', stage: 'report' },
  [NOTIFICATION_MISSED]: { kind: 'unknown', stage: 'report' },
  [CLICKS_RECOGNISED_AS_MACHINE]: { kind: 'clicks_by_machine', stage: 'reaction' },
} as const;

const KIND_OF_RESULT: Readonly<Record<HandOver['result'], string>> = {
  accepted: 'handed_over',
  refused: 'refused',
  deferred: 'deferred',
  suppressed: 'suppressed',
  expired: 'expired',
  unknown: 'outcome_unknown',
};

const handOverEntry = ({ at, result, address, smtp_response, relay }: HandOver): TimelineStep => ({
  at,
  kind: KIND_OF_RESULT[result],
  recipient: address,
  detail: relay === null ? smtp_response : `${smtp_response} (${relay})`,
  stage: result === 'deferred' ? 'deferral' : 'hand_over',
});

/** `delivery-tracking.email-delivered.v1` is `delivered`. */
const kindOf = (type: string): string => type.replace(/^.*\.email-|\.v\d+$/g, '');

function detailOf(event: PublicEvent): string {
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
