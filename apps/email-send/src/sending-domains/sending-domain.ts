import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import { dkimRecordName, isOptional, type RecordState } from './domain-records.js';
import type { Fact, OfDomain } from './sending-domain-event.js';
import {
  afterCheck,
  afterTrackingEvent,
  requireBelow,
  type TrackingHost,
  type TrackingHostEvent,
} from './tracking-host.js';

/** The public half of a DKIM key; the private half is stored encrypted under the same id. */
export interface DkimKey {
  readonly key_id: string;
  readonly selector: string;
  /** Value of the TXT record `<selector>._domainkey.<domain>`. */
  readonly record: string;
}

/** The public half of an Ed25519 key, which signs beside an RSA key and is rotated and deleted with it. */
export interface Ed25519Key {
  readonly rsa_key_id: string;
  readonly selector: string;
  readonly record: string;
}

export type SendingDomainEvent =
  | TrackingHostEvent
  | Fact<'sending-domain-added', { readonly domain: string; readonly dkim: DkimKey }>
  /** The records differ from those of the previous check; checks without changes produce no event. */
  | Fact<'sending-domain-records-seen', { readonly records: readonly RecordState[] }>
  | Fact<'sending-domain-verified', { readonly domain: string }>
  | Fact<'sending-domain-records-lost', { readonly domain: string; readonly problems: readonly string[] }>
  /** The owner of the service was mailed about the loss. */
  | Fact<'sending-domain-owner-told', unknown>
  | Fact<'sending-domain-records-restored', { readonly domain: string }>
  | Fact<'dkim-rotation-started', { readonly dkim: DkimKey }>
  | Fact<'dkim-key-rotated', { readonly key_id: string; readonly retired_key_id: string }>
  | Fact<'sending-domain-removed', { readonly domain: string; readonly key_ids: readonly string[] }>;

export type SendingDomainCommand =
  | {
      readonly kind: 'add';
      readonly serviceId: string;
      readonly domainId: string;
      readonly domain: string;
      readonly dkim: DkimKey;
      readonly at: string;
    }
  | { readonly kind: 'record-check'; readonly records: readonly RecordState[]; readonly at: string }
  | { readonly kind: 'note-owner-notified'; readonly about: 'records' | 'tracking-host'; readonly at: string }
  /** Sets, changes or, with null, removes the host of links and pixels. */
  | { readonly kind: 'set-tracking-host'; readonly host: string | null; readonly at: string }
  | { readonly kind: 'rotate'; readonly dkim: DkimKey; readonly at: string }
  | { readonly kind: 'remove'; readonly at: string };

export type SendingDomainStatus = 'pending' | 'verified' | 'records_lost';

export interface SendingDomain {
  readonly id: string | undefined;
  readonly serviceId: string;
  readonly domain: string;
  readonly status: SendingDomainStatus;
  readonly dkim: DkimKey | undefined;
  /** Signs as soon as a check finds its record. */
  readonly nextDkim: DkimKey | undefined;
  readonly records: readonly RecordState[];
  /** Why the records are lost; empty while they are not. */
  readonly problems: readonly string[];
  readonly ownerNotified: boolean;
  readonly trackingHost: TrackingHost | undefined;
}

export const SENDING_DOMAIN_EVENT_TYPES = [
  'email-send.sending-domain-added.v1',
  'email-send.sending-domain-records-seen.v1',
  'email-send.sending-domain-verified.v1',
  'email-send.sending-domain-records-lost.v1',
  'email-send.sending-domain-owner-told.v1',
  'email-send.sending-domain-records-restored.v1',
  'email-send.dkim-rotation-started.v1',
  'email-send.dkim-key-rotated.v1',
  'email-send.sending-domain-removed.v1',
  'email-send.tracking-host-set.v1',
  'email-send.tracking-host-verified.v1',
  'email-send.tracking-host-lost.v1',
  'email-send.tracking-host-owner-told.v1',
] as const satisfies readonly SendingDomainEvent['type'][];

/** The row that a sealed private key is bound to. */
export const dkimKeyRow = (keyId: string): string => `dkim_keys/${keyId}`;

/** The row of the Ed25519 key that signs beside an RSA key. */
export const ed25519KeyRow = (rsaKeyId: string): string => `dkim_ed25519_keys/${rsaKeyId}`;

const CHECK_PENDING_EVERY_S = 5 * 60;
const CHECK_VERIFIED_EVERY_S = 24 * 60 * 60;

/** Seconds from a check to the next one: a day if all records are found and no rotation is pending, else five minutes. */
export const nextCheckAfterS = ({ status, nextDkim, trackingHost }: SendingDomain): number => {
  const isComplete = status === 'verified' && (trackingHost?.status ?? 'verified') === 'verified';
  return isComplete && nextDkim === undefined ? CHECK_VERIFIED_EVERY_S : CHECK_PENDING_EVERY_S;
};

export const sendingDomainStream = (domainId: string): string => `sending-domain-${domainId}`;

/** One domain of one service. A verified domain stays usable when its records disappear; its status shows the loss. */
export const sendingDomain: Decider<SendingDomain, SendingDomainCommand, SendingDomainEvent> = {
  initial: {
    id: undefined,
    serviceId: '',
    domain: '',
    status: 'pending',
    dkim: undefined,
    nextDkim: undefined,
    records: [],
    problems: [],
    ownerNotified: false,
    trackingHost: undefined,
  },

  decide: (command, state) => {
    if (command.kind === 'add') {
      if (state.id !== undefined) {
        throw new Refusal('domain_exists', `${command.domain} is already a domain of this email service`);
      }
      const { serviceId, domainId, domain, dkim, at } = command;
      return [
        {
          type: 'email-send.sending-domain-added.v1',
          data: { service_id: serviceId, domain_id: domainId, domain, dkim, at },
        },
      ];
    }
    const ofDomain = { service_id: state.serviceId, domain_id: added(state), at: command.at };
    switch (command.kind) {
      case 'record-check':
        return recordCheck(command.records, state, ofDomain);
      case 'set-tracking-host': {
        const { host } = command;
        if (host !== null) requireBelow(host, state.domain);
        return host === (state.trackingHost?.host ?? null)
          ? []
          : [{ type: 'email-send.tracking-host-set.v1', data: { ...ofDomain, host } }];
      }
      case 'note-owner-notified':
        if (command.about === 'tracking-host') {
          return state.trackingHost?.status !== 'record_lost' || state.trackingHost.ownerNotified
            ? []
            : [{ type: 'email-send.tracking-host-owner-told.v1', data: ofDomain }];
        }
        return state.status !== 'records_lost' || state.ownerNotified
          ? []
          : [{ type: 'email-send.sending-domain-owner-told.v1', data: ofDomain }];
      case 'rotate':
        if (state.nextDkim) {
          throw new Refusal(
            'rotation_under_way',
            `a rotation is in progress: add the record ${dkimRecordName(state.nextDkim.selector, state.domain)} first`,
          );
        }
        return [{ type: 'email-send.dkim-rotation-started.v1', data: { ...ofDomain, dkim: command.dkim } }];
      case 'remove': {
        const key_ids = [state.dkim, state.nextDkim].flatMap(key => (key ? [key.key_id] : []));
        return [{ type: 'email-send.sending-domain-removed.v1', data: { ...ofDomain, domain: state.domain, key_ids } }];
      }
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'email-send.sending-domain-added.v1': {
        const { domain_id, service_id, domain, dkim } = event.data;
        return { ...sendingDomain.initial, id: domain_id, serviceId: service_id, domain, dkim };
      }
      case 'email-send.sending-domain-records-seen.v1':
        return { ...state, records: event.data.records };
      case 'email-send.sending-domain-verified.v1':
      case 'email-send.sending-domain-records-restored.v1':
        return { ...state, status: 'verified', problems: [] };
      case 'email-send.sending-domain-records-lost.v1':
        return { ...state, status: 'records_lost', problems: event.data.problems, ownerNotified: false };
      case 'email-send.sending-domain-owner-told.v1':
        return { ...state, ownerNotified: true };
      case 'email-send.dkim-rotation-started.v1':
        return { ...state, nextDkim: event.data.dkim };
      case 'email-send.dkim-key-rotated.v1':
        return { ...state, dkim: state.nextDkim, nextDkim: undefined };
      case 'email-send.sending-domain-removed.v1':
        return sendingDomain.initial;
      case 'email-send.tracking-host-set.v1':
      case 'email-send.tracking-host-verified.v1':
      case 'email-send.tracking-host-lost.v1':
      case 'email-send.tracking-host-owner-told.v1':
        return { ...state, trackingHost: afterTrackingEvent(state.trackingHost, event) };
    }
  },
};

/**
 * Decides on the records of one check. A record that could not be looked up keeps its last known state, so that a failure
 * of the DNS changes no status.
 */
function recordCheck(seen: readonly RecordState[], state: SendingDomain, ofDomain: OfDomain): SendingDomainEvent[] {
  // If a rotation began or ended during the lookups, their results do not apply to the current keys.
  const signing = [state.dkim, state.nextDkim].filter(key => key !== undefined);
  const checked = new Set(seen.map(record => record.name));
  if (!signing.every(key => checked.has(dkimRecordName(key.selector, state.domain)))) return [];
  const known = new Map(state.records.map(record => [keyOf(record), record]));
  // A DMARC policy may have been found at another name, that of the organizational domain.
  const dmarc = state.records.find(({ purpose }) => purpose === 'dmarc');
  const records = seen.map(record => {
    const before = known.get(keyOf(record)) ?? (record.purpose === 'dmarc' ? dmarc : undefined);
    if (record.found !== null || !before) return record;
    return before.ok ? before : { ...before, problem: record.problem };
  });
  const events: SendingDomainEvent[] = [];
  if (!sameRecords(records, state.records)) {
    events.push({ type: 'email-send.sending-domain-records-seen.v1', data: { ...ofDomain, records } });
  }
  const dkimOk = (key: DkimKey | undefined) =>
    key !== undefined &&
    records.some(record => record.ok && record.name === dkimRecordName(key.selector, state.domain));
  const rotates = state.dkim !== undefined && state.nextDkim !== undefined && dkimOk(state.nextDkim);
  if (rotates) {
    events.push({
      type: 'email-send.dkim-key-rotated.v1',
      data: { ...ofDomain, key_id: state.nextDkim!.key_id, retired_key_id: state.dkim!.key_id },
    });
  }
  const required = (['spf', 'dmarc'] as const).map(purpose => records.find(record => record.purpose === purpose));
  const complete = required.every(record => record?.ok) && dkimOk(rotates ? state.nextDkim : state.dkim);
  const { domain } = state;
  if (complete && state.status === 'pending') {
    events.push({ type: 'email-send.sending-domain-verified.v1', data: { ...ofDomain, domain } });
  } else if (complete && state.status === 'records_lost') {
    events.push({ type: 'email-send.sending-domain-records-restored.v1', data: { ...ofDomain, domain } });
  } else if (!complete && state.status === 'verified') {
    const waiting = state.nextDkim && !rotates ? dkimRecordName(state.nextDkim.selector, domain) : undefined;
    const problems = records
      .filter(record => !record.ok && !isOptional(record) && record.name !== waiting)
      .map(record => record.problem ?? `${record.name} is not as expected`);
    events.push({ type: 'email-send.sending-domain-records-lost.v1', data: { ...ofDomain, domain, problems } });
  }
  return [...events, ...afterCheck(state.trackingHost, records, ofDomain)];
}

/** A tracking host can be the domain itself, so a name can have records of two purposes. */
const keyOf = ({ purpose, name }: RecordState): string => `${purpose} ${name}`;

const sameRecords = (left: readonly RecordState[], right: readonly RecordState[]): boolean =>
  left.length === right.length &&
  left.every((record, index) => {
    const other = right[index]!;
    return (
      record.name === other.name &&
      record.ok === other.ok &&
      record.problem === other.problem &&
      (record.found === null) === (other.found === null) &&
      (record.found ?? []).join('\n') === (other.found ?? []).join('\n')
    );
  });

function added(state: SendingDomain): string {
  if (state.id === undefined) throw new Refusal('domain_not_found', 'there is no such sending domain');
  return state.id;
}
