import { isJsonObject, type ProviderEvent } from '@postern/contracts';
import { assertAuthorized, basicCredentials } from './basic-authentication.js';
import type { Provider } from './provider-call.js';
import { invalidEvent } from './provider-refusals.js';
import { type Json, objectIn, parsedJson, present, textIn, timeOf } from './provider-values.js';

/** Types of bounces that say nothing about the delivery: replies, and changes of subscriptions. */
const NO_BOUNCES: ReadonlySet<string> = new Set([
  'AutoResponder',
  'AddressChange',
  'ChallengeVerification',
  'Subscribe',
  'Unsubscribe',
  'OpenRelayTest',
  'InboundError',
]);
const HARD: ReadonlySet<string> = new Set(['HardBounce', 'BadEmailAddress']);

/** Postmark: no signature, but basic authentication. Metadata, which Postern sets with a header, names the copy. */
export const postmark: Provider = {
  credentialsOf: basicCredentials,
  authenticationOf: ({ username }) => (username === undefined ? 'url' : 'basic'),
  read(call, credentials) {
    assertAuthorized(call, credentials);
    const event = parsedJson(call.body);
    if (!isJsonObject(event) || typeof event['RecordType'] !== 'string') {
      throw invalidEvent('RecordType: the body is not an event of Postmark');
    }
    const found = eventOf(event);
    return { events: found ? [found] : [], unused: found ? 0 : 1 };
  },
};

function eventOf(event: Json): ProviderEvent | undefined {
  const kind = kindOf(event);
  if (!kind) return undefined;
  const type = textIn(event, 'Type', 50);
  const copyId = textIn(objectIn(event, 'Metadata'), 'postern-id', 200);
  return {
    kind,
    copy_ids: copyId === undefined ? [] : [copyId],
    at: timeOf(event[kind === 'delivered' ? 'DeliveredAt' : 'BouncedAt']),
    ...present({
      recipient: textIn(event, kind === 'delivered' ? 'Recipient' : 'Email', 320),
      response: textIn(event, 'Details') ?? textIn(event, 'Description'),
      bounce_type: kind === 'bounced' ? (HARD.has(type ?? '') ? ('hard' as const) : ('soft' as const)) : undefined,
      source: kind === 'complained' ? 'abuse Postmark' : undefined,
    }),
  };
}

function kindOf(event: Json): ProviderEvent['kind'] | undefined {
  const type = textIn(event, 'Type', 50) ?? '';
  switch (event['RecordType']) {
    case 'Delivery':
      return 'delivered';
    case 'SpamComplaint':
      return 'complained';
    case 'Bounce':
      if (type === 'SpamComplaint') return 'complained';
      if (type === 'Transient') return 'delayed';
      return NO_BOUNCES.has(type) ? undefined : 'bounced';
    default:
      return undefined;
  }
}
