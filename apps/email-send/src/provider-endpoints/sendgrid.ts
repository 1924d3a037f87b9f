import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isJsonObject, type ProviderEvent } from '@postern/contracts';
import type { Provider } from './provider-call.js';
import { invalidEvent, invalidInput, invalidSignature } from './provider-refusals.js';
import { assertRecent, bareMessageId, type Json, parsedJson, present, textIn, timeOf } from './provider-values.js';

const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';
/** Messages that SendGrid did not send because of an earlier bounce. */
const DROPPED_AS_INVALID = /^(?:bounced address|invalid)/i;

/** SendGrid: ECDSA over a header with the time and the bytes of the body. `smtp-id` is the Message-ID. */
export const sendgrid: Provider = {
  credentialsOf({ public_key }) {
    if (public_key === undefined) {
      throw invalidInput('public_key', 'is required: the verification key of the signed event webhook of SendGrid');
    }
    if (!keyFrom(public_key)) throw invalidInput('public_key', 'must be the ECDSA key that SendGrid shows, in base64');
    return { public_key };
  },
  authenticationOf: () => 'signature',
  read({ headers, body }, { public_key = '' }) {
    const [signature, timestamp] = [headers[SIGNATURE], headers[TIMESTAMP]];
    if (signature === undefined || timestamp === undefined) {
      throw invalidSignature(`the headers ${SIGNATURE} and ${TIMESTAMP} are required: enable the signed event webhook`);
    }
    const key = keyFrom(public_key);
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    if (!key || !verify('sha256', signed, key, Buffer.from(signature, 'base64'))) {
      throw invalidSignature('the signature does not match the public key of the endpoint');
    }
    assertRecent(timestamp, TIMESTAMP);
    const call = parsedJson(body);
    if (!Array.isArray(call)) throw invalidEvent('the body must be an array of events');
    const events = call.flatMap(event => (isJsonObject(event) ? (eventOf(event) ?? []) : []));
    return { events, unused: call.length - events.length };
  },
};

function keyFrom(base64: string): KeyObject | undefined {
  try {
    const bare = base64.replace(/-----[A-Z ]+-----|\s/g, '');
    const key = createPublicKey({ key: Buffer.from(bare, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' ? key : undefined;
  } catch {
    return undefined;
  }
}

function eventOf(event: Json): ProviderEvent | undefined {
  const kind = kindOf(event);
  if (!kind) return undefined;
  const reason = textIn(event, 'reason') ?? textIn(event, 'response');
  const isDropped = event['event'] === 'dropped';
  return {
    kind,
    copy_ids: [],
    at: timeOf(event['timestamp']),
    ...present({
      message_id: bareMessageId(textIn(event, 'smtp-id')),
      recipient: textIn(event, 'email', 320),
      status: textIn(event, 'status', 20),
      response: isDropped && reason !== undefined ? `Not sent by SendGrid: ${reason}` : reason,
      bounce_type: isDropped
        ? DROPPED_AS_INVALID.test(reason ?? '')
          ? ('hard' as const)
          : ('soft' as const)
        : undefined,
      source: kind === 'complained' ? 'abuse SendGrid' : undefined,
    }),
  };
}

function kindOf(event: Json): ProviderEvent['kind'] | undefined {
  switch (event['event']) {
    case 'delivered':
      return 'delivered';
    case 'deferred':
      return 'delayed';
    case 'bounce':
    case 'dropped':
      return 'bounced';
    case 'spamreport':
      return 'complained';
    default:
      return undefined;
  }
}
