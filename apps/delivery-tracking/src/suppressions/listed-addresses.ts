import { Injectable } from '@nestjs/common';
import type { EventMetadata } from '@postern/event-sourcing';
import { currentContext } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { addressSuppression, type SuppressionEvent, suppressionStream } from '../tracked-emails/address-suppression.js';
import { type StreamAppend, TrackingTransactions } from '../tracked-emails/ports.js';

/** Writes many entries of a suppression list in one transaction, which locks the streams of all of them. */
@Injectable()
export class ListedAddresses {
  constructor(private readonly transactions: TrackingTransactions) {}

  /** Lists addresses in one transaction; returns those that were not listed. `at` is an ISO time. */
  async list(serviceId: string, addresses: readonly string[], at: string): Promise<readonly string[]> {
    if (addresses.length === 0) return [];
    const streams = new Map(addresses.map(address => [suppressionStream(serviceId, address), address]));
    const scope = { streamIds: [...streams.keys()], emailIds: [], waitingFor: [], follows: false };
    return this.transactions.run(scope, async (transaction, { histories }) => {
      const appends = [...streams].flatMap(([streamId, address]): StreamAppend[] => {
        const history = (histories.get(streamId) ?? []) as readonly SuppressionEvent[];
        const state = history.reduce(addressSuppression.evolve, addressSuppression.initial);
        const data = { service_id: serviceId, address, at };
        const events = addressSuppression.decide({ kind: 'list', data }, state);
        const metadata = metadataOfRequest();
        return events.length > 0
          ? [{ streamId, expectedVersion: history.length, events: events.map(event => ({ event, metadata })) }]
          : [];
      });
      await transaction.write({
        appends,
        signalsToStore: [],
        noticesToStore: [],
        signalIdsToDelete: [],
      });
      return appends.map(({ streamId }) => streams.get(streamId)!);
    });
  }
}

const metadataOfRequest = (): EventMetadata => {
  const { correlationId = uuidv7(), causationId, traceparent, actor } = currentContext() ?? {};
  return { correlationId, causationId, traceparent, actor };
};
