import { OperationsModule } from '@postern/service-host';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { WaitingSignalErasure } from './waiting-signal-erasure.js';

/** The operator's requests: projections, consumers, erasure of a recipient, diagnosis. */
export const operations = OperationsModule.forService({
  service: 'delivery-tracking',
  imports: [eventSourcing],
  useFactory: () => ({ personal: new WaitingSignalErasure() }),
});
