import { Injectable } from '@nestjs/common';
import { isJsonObject, type ProviderCredentials, type ProviderEvent } from '@postern/contracts';
import type { Provider, ProviderCall, ProviderMessage } from './provider-call.js';
import { invalidSignature } from './provider-refusals.js';
import {
  assertRecent,
  bareMessageId,
  type Json,
  objectIn,
  objectsIn,
  parsedJson,
  present,
  textIn,
  timeOf,
} from './provider-values.js';
import { type SnsMessage, SnsMessages } from './sns-message.js';

const NO_COMPLAINTS: ReadonlySet<string> = new Set(['not-spam', 'auth-failure', 'virus']);
const COPY_ID_HEADER = 'x-postern-id';

/** Amazon SES, whose events arrive through a topic of Amazon SNS. The headers of the message name the copy. */
@Injectable()
export class Ses implements Provider {
  constructor(private readonly sns: SnsMessages) {}

  credentialsOf({ topic_arn }: ProviderCredentials): ProviderCredentials {
    return present({ topic_arn });
  }

  authenticationOf(): 'signature' {
    return 'signature';
  }

  async read({ body }: ProviderCall, { topic_arn }: ProviderCredentials): Promise<ProviderMessage> {
    const message = await this.sns.verified(parsedJson(body));
    if (topic_arn !== undefined && message.topicArn !== topic_arn) {
      throw invalidSignature(`TopicArn: the endpoint belongs to the topic ${topic_arn}`);
    }
    assertRecent(String(Math.floor(Date.parse(message.timestamp) / 1_000)), 'Timestamp');
    if (message.type === 'SubscriptionConfirmation') {
      await this.sns.confirm(message);
      return { events: [], unused: 0, topicArn: message.topicArn };
    }
    const events = message.type === 'Notification' ? eventsIn(message) : [];
    return { events, unused: events.length > 0 ? 0 : 1 };
  }
}

function eventsIn({ message }: SnsMessage): ProviderEvent[] {
  let event: unknown;
  try {
    event = JSON.parse(message);
  } catch {
    // SES tests a topic with a sentence.
    return [];
  }
  return isJsonObject(event) ? eventsOf(event) : [];
}

function eventsOf(event: Json): ProviderEvent[] {
  const mail = objectIn(event, 'mail');
  const headers = objectsIn(mail, 'headers');
  const headerNamed = (name: string) =>
    textIn(
      headers.find(header => textIn(header, 'name', 100)?.toLowerCase() === name),
      'value',
      998,
    );
  const copyId = headerNamed(COPY_ID_HEADER);
  // SES replaces the Message-ID, and reports the original one.
  const messageId = headerNamed('message-id') ?? textIn(objectIn(mail, 'commonHeaders'), 'messageId', 998);
  const named = {
    copy_ids: copyId === undefined ? [] : [copyId.slice(0, 200)],
    ...present({ message_id: bareMessageId(messageId) }),
  };
  return outcomesOf(event).map(outcome => ({ ...named, ...outcome }));
}

type Outcome = Omit<ProviderEvent, 'copy_ids' | 'message_id'>;

function outcomesOf(event: Json): Outcome[] {
  switch (event['eventType'] ?? event['notificationType']) {
    case 'Delivery': {
      const delivery = objectIn(event, 'delivery');
      const recipients = Array.isArray(delivery?.['recipients']) ? delivery['recipients'] : [];
      const response = textIn(delivery, 'smtpResponse');
      return recipients
        .filter(recipient => typeof recipient === 'string')
        .map(recipient => ({
          kind: 'delivered',
          at: timeOf(delivery?.['timestamp']),
          recipient: recipient.slice(0, 320),
          ...present({ response }),
        }));
    }
    case 'Bounce':
      return bouncesOf(objectIn(event, 'bounce'));
    case 'DeliveryDelay':
      return recipientsOf(objectIn(event, 'deliveryDelay'), 'delayedRecipients', 'delayed');
    case 'Complaint':
      return complaintsOf(objectIn(event, 'complaint'));
    case 'Reject': {
      const reason = textIn(objectIn(event, 'reject'), 'reason') ?? 'no reason';
      return [{ kind: 'bounced', at: timeOf(undefined), response: `Not sent by SES: ${reason}`, bounce_type: 'soft' }];
    }
    default:
      return [];
  }
}

function bouncesOf(bounce: Json | undefined): Outcome[] {
  const [type, subType] = [textIn(bounce, 'bounceType', 50), textIn(bounce, 'bounceSubType', 50)];
  const bounce_type = type === 'Permanent' ? ('hard' as const) : ('soft' as const);
  const described = ['SES', type, subType].filter(part => part !== undefined).join(' ');
  return recipientsOf(bounce, 'bouncedRecipients', 'bounced').map(outcome => ({
    ...outcome,
    response: outcome.response ?? described,
    bounce_type,
  }));
}

const recipientsOf = (list: Json | undefined, name: string, kind: ProviderEvent['kind']): Outcome[] =>
  objectsIn(list, name).map(recipient => ({
    kind,
    at: timeOf(list?.['timestamp']),
    ...present({
      recipient: textIn(recipient, 'emailAddress', 320),
      status: textIn(recipient, 'status', 20),
      response: textIn(recipient, 'diagnosticCode'),
    }),
  }));

function complaintsOf(complaint: Json | undefined): Outcome[] {
  // The address is on the suppression list of the account: nobody has complained about this message.
  if (textIn(complaint, 'complaintSubType') === 'OnAccountSuppressionList') {
    return recipientsOf(complaint, 'complainedRecipients', 'bounced').map(outcome => ({
      ...outcome,
      response: 'Not sent by SES: the address is on the suppression list of the account',
      bounce_type: 'soft',
    }));
  }
  const type = textIn(complaint, 'complaintFeedbackType', 50) ?? 'abuse';
  if (NO_COMPLAINTS.has(type)) return [];
  const source = [type, textIn(complaint, 'userAgent', 400) ?? 'SES'].join(' ');
  return recipientsOf(complaint, 'complainedRecipients', 'complained').map(outcome => ({ ...outcome, source }));
}
