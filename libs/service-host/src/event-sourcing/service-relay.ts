import type { EventContract, ServiceName } from '@postern/contracts';
import { OutboxRelay, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import { JetStreamPublisher, type JetStreamPublisherOptions, type Log, type NatsLink } from '@postern/messaging';

export interface ServiceRelayOptions {
  readonly service: ServiceName;
  readonly contracts: readonly EventContract[];
  readonly store: PostgresEventStore;
  readonly link: NatsLink;
  readonly log: Log;
  /** Configured size of the stream. */
  readonly maxBytes: number;
  readonly publishing?: PublishingOptions | undefined;
}

/** For services that store more event fields than they publish, or whose events may have no consumer. */
export type PublishingOptions = Pick<JetStreamPublisherOptions, 'contractFieldsOnly' | 'removeUnconsumed'>;

/** The outbox relay that publishes events to JetStream and logs its state. */
export const serviceRelay = ({
  service,
  contracts,
  store,
  link,
  log,
  maxBytes,
  publishing,
}: ServiceRelayOptions): OutboxRelay =>
  new OutboxRelay({
    store,
    publisher: new JetStreamPublisher(link, {
      service,
      contracts,
      maxBytes,
      ...publishing,
      onSmaller: size => log.warn(size, 'NATS has too little storage: the stream is smaller than configured'),
    }),
    types: contracts.map(({ type }) => type),
    onError: err => log.warn({ err }, 'Events could not be published; they will be retried'),
    onRegression: cause => log.warn({ cause }, 'The broker lost events; publishing them again'),
    onBlocked: ({ condition, reason }) =>
      log.error({ condition, reason }, 'The broker accepts no events; they wait in the log'),
    onUnblocked: ({ condition, since }) =>
      log.info({ condition, seconds: secondsSince(since) }, 'The broker accepts events again'),
    onGap: ({ consumer, first, last }) =>
      log.error({ consumer, first, last }, 'The stream lost unprocessed events; publishing them again'),
  });

const secondsSince = (since: Date): number => Math.round((Date.now() - since.getTime()) / 1_000);
