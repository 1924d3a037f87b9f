import { type ProviderEvent, type ReplyOf, type RequestOf, recordProviderEvents } from '@postern/contracts';
import { classifyBounce, type NamedCopy } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { classificationOf } from '../tracked-emails/bounce-classification.js';
import { EmailSignals } from '../tracked-emails/email-signals.js';
import type { NotifiedStatus, Signal } from '../tracked-emails/signal.js';
import { MessageIds } from './message-ids.js';
import { ReportMetrics } from './report-metrics.js';
import { ReportedCopies } from './reported-copies.js';

/** Clocks of providers are not exactly ours. */
const MAX_AHEAD_MS = 60_000;

/**
 * Records events that a mail provider reports over HTTP, as if a delivery notification or feedback report had arrived by mail.
 * Repeated events and events in another order change nothing.
 */
@Handles(recordProviderEvents)
export class RecordProviderEvents {
  constructor(
    private readonly copies: ReportedCopies,
    private readonly signals: EmailSignals,
    private readonly metrics: ReportMetrics,
    private readonly messageIds: MessageIds,
  ) {}

  /** Resolves once the effects are durable. */
  async execute({ events }: RequestOf<typeof recordProviderEvents>): Promise<ReplyOf<typeof recordProviderEvents>> {
    const effects = await Promise.all(events.map(event => this.#record(event)));
    const recorded = effects.filter(hasEffect => hasEffect).length;
    return { recorded, ignored: events.length - recorded };
  }

  async #record(event: ProviderEvent): Promise<boolean> {
    this.metrics.received('provider_event', event.kind);
    const copy = await this.#copyOf(event);
    if (!copy) {
      this.metrics.ignored('unknown_message');
      return false;
    }
    const outcome = await this.signals.record(copy.emailId, signalOf(event, copy.recipientIndex), 'provider');
    if (outcome.kind === 'ignored') this.metrics.ignored(outcome.cause);
    return outcome.kind === 'recorded' || outcome.kind === 'waiting';
  }

  /** Signed ids first: senders may choose a Message-ID, and two may choose the same. */
  async #copyOf({ copy_ids, message_id = '', recipient }: ProviderEvent): Promise<NamedCopy | undefined> {
    const named = this.copies.copyOf(copy_ids, message_id);
    if (named || message_id === '') return named;
    const emailId = await this.messageIds.emailOf(message_id, recipient);
    return emailId === undefined ? undefined : { emailId, recipientIndex: undefined };
  }
}

function signalOf(event: ProviderEvent, recipientIndex: number | undefined): Signal {
  const { kind, recipient, source = 'abuse' } = event;
  const addresses = recipient === undefined ? [] : [recipient];
  const at = new Date(Math.min(Date.parse(event.at), Date.now() + MAX_AHEAD_MS)).toISOString();
  const named = recipientIndex === undefined ? {} : { index: recipientIndex };
  if (kind === 'complained') {
    return recipientIndex === undefined ? { kind, addresses, source, at } : { kind, index: recipientIndex, source, at };
  }
  return { kind: 'notified', ...named, status: statusOf(event, addresses), at };
}

function statusOf(event: ProviderEvent, addresses: readonly string[]): NotifiedStatus {
  const { kind, status, response } = event;
  const words = response ?? [kind, status].filter(part => part !== undefined).join(' ');
  if (kind === 'delivered') return { action: 'delivered', addresses, response: words, bounceType: 'soft' };
  if (kind === 'delayed') return { action: 'delayed', addresses, response: words, bounceType: 'soft' };
  return { action: 'failed', addresses, response: words, ...classOf(event) };
}

/** The words of the receiving server decide; the opinion of the provider counts if no rule knows them. */
function classOf({ status, response, bounce_type }: ProviderEvent) {
  const evidence = {
    ...(status === undefined ? {} : { status }),
    ...(response === undefined ? {} : { text: response }),
    isFinal: true,
  };
  const { type: bounceType, ...found } = classifyBounce(evidence);
  if (bounce_type === undefined || found.rule !== 'none') {
    return { bounceType, classification: classificationOf(found), evidence };
  }
  const stated =
    bounce_type === 'hard'
      ? { name: 'bad_address', advice: 'The mail provider reports that the address does not exist. Remove it.' }
      : { name: 'other', advice: 'The mail provider reports a temporary or other failure. Later messages may work.' };
  // No evidence: reclassification knows nothing about the opinion of the provider.
  return {
    bounceType: bounce_type,
    classification: { ...stated, rule: `provider.${bounce_type}`, rules_version: found.version },
  };
}
