import { createHmac } from 'node:crypto';
import { isJsonObject, type ProviderEvent } from '@postern/contracts';
import type { Provider } from './provider-call.js';
import { invalidEvent, invalidInput, invalidSignature } from './provider-refusals.js';
import {
  assertRecent,
  bareMessageId,
  isSame,
  type Json,
  objectIn,
  parsedJson,
  present,
  textIn,
  timeOf,
} from './provider-values.js';

/** Failures of addresses that Mailgun itself does not send to any more. */
const SUPPRESSED: Readonly<Record<string, 'hard' | 'soft'>> = {
  'suppress-bounce': 'hard',
  'suppress-complaint': 'soft',
  'suppress-unsubscribe': 'soft',
};

/** Mailgun: HMAC-SHA256 over timestamp and token, both in the body. The Message-ID names the message. */
export const mailgun: Provider = {
  credentialsOf({ signing_key }) {
    if (signing_key === undefined)
      throw invalidInput('signing_key', 'is required: the HTTP webhook signing key of Mailgun');
    return { signing_key };
  },
  authenticationOf: () => 'signature',
  read({ body }, { signing_key = '' }) {
    const call = parsedJson(body);
    const signed = isJsonObject(call) ? objectIn(call, 'signature') : undefined;
    const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map(name => textIn(signed, name, 200));
    if (timestamp === undefined || token === undefined || signature === undefined) {
      throw invalidSignature('the body has no signature with timestamp, token and signature');
    }
    const expected = createHmac('sha256', signing_key)
      .update(timestamp + token)
      .digest('hex');
    if (!isSame(signature.toLowerCase(), expected)) {
      throw invalidSignature('the signature does not match the signing key of the endpoint');
    }
    assertRecent(timestamp, 'signature.timestamp');
    const event = objectIn(call as Json, 'event-data');
    if (!event) throw invalidEvent('event-data: must be an object');
    const found = eventOf(event);
    return { events: found ? [found] : [], unused: found ? 0 : 1 };
  },
};

function eventOf(event: Json): ProviderEvent | undefined {
  const kind = kindOf(event);
  if (!kind) return undefined;
  const status = objectIn(event, 'delivery-status');
  const reason = textIn(event, 'reason') ?? '';
  const headers = objectIn(objectIn(event, 'message'), 'headers');
  const words =
    textIn(status, 'message') ?? textIn(status, 'description') ?? textIn(objectIn(event, 'reject'), 'reason');
  const code = textIn(status, 'code', 3);
  const hasCode = words !== undefined && /^[245]\d\d[ -]/.test(words);
  return {
    kind,
    copy_ids: [],
    at: timeOf(event['timestamp']),
    ...present({
      message_id: bareMessageId(textIn(headers, 'message-id')),
      recipient: textIn(event, 'recipient', 320),
      status: textIn(status, 'enhanced-code', 20),
      response:
        words === undefined || hasCode
          ? words
          : [code, words].filter(part => /^[245]\d\d$|\D/.test(part ?? '')).join(' '),
      bounce_type: kind === 'bounced' ? SUPPRESSED[reason] : undefined,
      source: kind === 'complained' ? 'abuse Mailgun' : undefined,
    }),
  };
}

function kindOf(event: Json): ProviderEvent['kind'] | undefined {
  switch (event['event']) {
    case 'delivered':
      return 'delivered';
    case 'failed':
      return event['severity'] === 'temporary' ? 'delayed' : 'bounced';
    case 'rejected':
      return 'bounced';
    case 'complained':
      return 'complained';
    default:
      return undefined;
  }
}
