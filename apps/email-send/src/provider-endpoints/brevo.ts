import { isJsonObject, type ProviderEvent } from '@postern/contracts';
import { assertAuthorized, basicCredentials } from './basic-authentication.js';
import type { Provider } from './provider-call.js';
import { invalidEvent, invalidInput } from './provider-refusals.js';
import { bareMessageId, type Json, parsedJson, present, textIn, timeOf } from './provider-values.js';

const KINDS: Readonly<Record<string, ProviderEvent['kind']>> = {
  delivered: 'delivered',
  deferred: 'delayed',
  hard_bounce: 'bounced',
  soft_bounce: 'bounced',
  invalid_email: 'bounced',
  blocked: 'bounced',
  error: 'bounced',
  spam: 'complained',
  complaint: 'complained',
};
const HARD: ReadonlySet<string> = new Set(['hard_bounce', 'invalid_email']);

/** Brevo: no signature, but basic or bearer authentication. A header that Postern adds names the copy. */
export const brevo: Provider = {
  credentialsOf({ bearer_token, ...given }) {
    const basic = basicCredentials(given);
    if (bearer_token !== undefined && basic.username !== undefined) {
      throw invalidInput('bearer_token', 'must not be given with username and password');
    }
    return bearer_token === undefined ? basic : { bearer_token };
  },
  authenticationOf: ({ username, bearer_token }) =>
    bearer_token !== undefined ? 'bearer' : username === undefined ? 'url' : 'basic',
  read(call, credentials) {
    assertAuthorized(call, credentials);
    const body = parsedJson(call.body);
    // Brevo can send events singly or in batches.
    const all = Array.isArray(body) ? body : [body];
    if (!all.every(event => isJsonObject(event) && typeof event['event'] === 'string')) {
      throw invalidEvent('event: the body is not an event of Brevo');
    }
    const events = (all as Json[]).flatMap(event => eventOf(event) ?? []);
    return { events, unused: all.length - events.length };
  },
};

function eventOf(event: Json): ProviderEvent | undefined {
  const name = textIn(event, 'event', 50) ?? '';
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kind) return undefined;
  const copyId = textIn(event, 'X-Mailin-custom', 200);
  return {
    kind,
    copy_ids: copyId === undefined ? [] : [copyId],
    at: timeOf(event['ts_event'] ?? event['ts']),
    ...present({
      message_id: bareMessageId(textIn(event, 'message-id')),
      recipient: textIn(event, 'email', 320),
      response: textIn(event, 'reason'),
      bounce_type: kind === 'bounced' ? (HARD.has(name) ? ('hard' as const) : ('soft' as const)) : undefined,
      source: kind === 'complained' ? 'abuse Brevo' : undefined,
    }),
  };
}
