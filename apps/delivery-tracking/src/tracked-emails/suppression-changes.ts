import { emailBounced, emailComplained } from '@postern/contracts';
import { addressKey } from '@postern/mail';
import {
  addressSuppression,
  type SuppressionCommand,
  type SuppressionEvent,
  suppressionStream,
} from './address-suppression.js';
import type { EventWithMetadata } from './email-unit-of-work.js';
import { isSuppressedReason } from './hand-over-event.js';
import type { StreamAppend, TrackingTransaction } from './ports.js';
import { BOUNCE_RECLASSIFIED, RECIPIENT_UNSUBSCRIBED, type TrackedEmailEvent } from './tracked-email-events.js';

/**
 * The changes of the suppression lists by events, for the same transaction: addresses that bounced hard, complained or unsubscribed
 * are added; an address whose bounce is reclassified as soft is removed.
 */
export async function suppressionChanges(
  transaction: TrackingTransaction,
  appends: readonly StreamAppend[],
): Promise<StreamAppend[]> {
  const commands = new Map<string, EventWithMetadata<SuppressionCommand>>();
  for (const { events } of appends) {
    const corrected = new Set(
      events.flatMap(({ event }) => (event.type === BOUNCE_RECLASSIFIED ? [event.data.index] : [])),
    );
    for (const { event, metadata } of events) {
      const command = commandFor(event as TrackedEmailEvent, corrected);
      if (!command) continue;
      const stream = suppressionStream(command.data.service_id, command.data.address);
      if (!commands.has(stream)) commands.set(stream, { event: command, metadata });
    }
  }
  if (commands.size === 0) return [];

  const histories = await transaction.lockMore([...commands.keys()]);
  return [...commands].flatMap(([streamId, { event: command, metadata }]) => {
    const history = (histories.get(streamId) ?? []) as readonly SuppressionEvent[];
    const state = history.reduce(addressSuppression.evolve, addressSuppression.initial);
    const events = addressSuppression.decide(command, state);
    return events.length > 0
      ? [{ streamId, expectedVersion: history.length, events: events.map(event => ({ event, metadata })) }]
      : [];
  });
}

function commandFor(event: TrackedEmailEvent, corrected: ReadonlySet<number>): SuppressionCommand | undefined {
  if (event.type === RECIPIENT_UNSUBSCRIBED) {
    const { service_id, email_id, address, at } = event.data;
    return {
      kind: 'suppress',
      data: { service_id, email_id, address: addressKey(address), reason: 'unsubscribed', at },
    };
  }
  if (event.type !== emailComplained.type && event.type !== emailBounced.type) return undefined;
  const { service_id, email_id, to, timestamp: at, recipient_index } = event.data;
  const address = addressKey(to);
  if (event.type === emailComplained.type) {
    return { kind: 'suppress', data: { service_id, email_id, address, reason: 'complaint', at } };
  }
  const { bounce_type, reason } = event.data.data;
  if (bounce_type === 'soft') {
    return corrected.has(recipient_index)
      ? { kind: 'correct', data: { service_id, email_id, address, at } }
      : undefined;
  }
  // A bounce caused by the list does not suppress again: the owner may have removed the address since.
  if (isSuppressedReason(reason)) return undefined;
  return { kind: 'suppress', data: { service_id, email_id, address, reason: 'hard_bounce', at } };
}
