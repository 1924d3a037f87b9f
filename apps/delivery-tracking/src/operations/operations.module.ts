import { NatsLink, StreamErasure } from '@postern/messaging';
import { OperationsModule } from '@postern/service-host';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { WaitingSignalErasure } from './waiting-signal-erasure.js';

/** The operator's requests: projections, outbox, erasure of a recipient, diagnosis. */
export const operations = OperationsModule.forService({
  service: 'delivery-tracking',
  imports: [eventSourcing],
  inject: [NatsLink],
  useFactory: (link: NatsLink) => ({
    personal: new WaitingSignalErasure(),
    stream: new StreamErasure(link, 'delivery-tracking'),
  }),
});
