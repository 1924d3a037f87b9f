import { Refusal } from '@postern/contracts/refusal';
import {
  type HostAnswer,
  leadsOutside,
  lookupFailed,
  OK,
  type RecordState,
  type Verdict,
  withoutRootDot,
  wrong,
} from './domain-records.js';
import type { Fact, OfDomain } from './sending-domain-event.js';

/** The host of links and pixels in messages from a sending domain. */
export interface TrackingHost {
  readonly host: string;
  readonly status: 'pending' | 'verified' | 'record_lost';
  /** Why the record is lost; empty while it is not. */
  readonly problem: string;
  readonly ownerNotified: boolean;
}

export type TrackingHostEvent =
  /** `host` is null if the domain uses the host of the installation again. */
  | Fact<'tracking-host-set', { readonly host: string | null }>
  /** The record was found, for the first time or after its loss. */
  | Fact<'tracking-host-verified', { readonly host: string }>
  | Fact<'tracking-host-lost', { readonly host: string; readonly problem: string }>
  /** The owners were mailed about the loss. */
  | Fact<'tracking-host-owner-told', unknown>;

/** Refuses with `invalid_input` a host that is neither the domain nor below it: its owner proved only the domain. */
export function requireBelow(host: string, domain: string): void {
  if (host === domain || host.endsWith(`.${domain}`)) return;
  throw new Refusal('invalid_input', `host: must be ${domain} or a name below it, such as click.${domain}`);
}

export function afterTrackingEvent(
  state: TrackingHost | undefined,
  event: TrackingHostEvent,
): TrackingHost | undefined {
  switch (event.type) {
    case 'email-send.tracking-host-set.v1': {
      const { host } = event.data;
      return host === null ? undefined : { host, status: 'pending', problem: '', ownerNotified: false };
    }
    case 'email-send.tracking-host-verified.v1':
      return state && { ...state, status: 'verified', problem: '', ownerNotified: false };
    case 'email-send.tracking-host-lost.v1':
      return state && { ...state, status: 'record_lost', problem: event.data.problem };
    case 'email-send.tracking-host-owner-told.v1':
      return state && { ...state, ownerNotified: true };
  }
}

/** What the records of a check mean for the tracking host. A check of another host, or without an answer, means nothing. */
export function afterCheck(
  state: TrackingHost | undefined,
  records: readonly RecordState[],
  ofDomain: OfDomain,
): TrackingHostEvent[] {
  const record = records.find(({ purpose, name }) => purpose === 'tracking' && name === state?.host);
  if (!state || !record) return [];
  const { host, status } = state;
  if (record.ok)
    return status === 'verified' ? [] : [{ type: 'email-send.tracking-host-verified.v1', data: { ...ofDomain, host } }];
  if (status !== 'verified') return [];
  const problem = record.problem ?? `${host} is not as expected`;
  return [{ type: 'email-send.tracking-host-lost.v1', data: { ...ofDomain, host, problem } }];
}

/** Looks up where a host leads; never throws because of the DNS. */
export type ResolveHost = (name: string) => Promise<HostAnswer>;

/** Checks whether a host leads to the installation: by CNAME records, or by A and AAAA records with its addresses only. */
export async function checkTrackingHost(host: string, target: string, resolveHost: ResolveHost): Promise<RecordState> {
  const state = { purpose: 'tracking' as const, name: host };
  const answer = await resolveHost(host);
  if (answer.kind === 'unavailable') return { ...state, found: null, ...lookupFailed(host, answer.reason) };
  if (answer.kind === 'refused') return { ...state, found: [], ...leadsOutside(host) };
  const aliases = answer.kind === 'found' ? answer.aliases.map(alias => withoutRootDot(alias.toLowerCase())) : [];
  const addresses = answer.kind === 'found' ? answer.addresses : [];
  const found = aliases.length > 0 ? aliases : addresses;
  if (aliases.includes(target)) return { ...state, found, ...OK };
  if (addresses.length === 0) return { ...state, found, ...noAddress(host, aliases, target) };
  const ours = await resolveHost(target);
  if (ours.kind === 'unavailable') return { ...state, found: null, ...lookupFailed(target, ours.reason) };
  const isOurs = ours.kind === 'found' && addresses.every(address => ours.addresses.includes(address));
  return { ...state, found, ...(isOurs ? OK : wrong(`${host} leads to ${found.join(', ')}; it must be ${target}`)) };
}

const noAddress = (host: string, [alias]: readonly string[], target: string): Verdict =>
  wrong(alias === undefined ? `${host} has no CNAME record` : `${host} is an alias of ${alias}; it must be ${target}`);
