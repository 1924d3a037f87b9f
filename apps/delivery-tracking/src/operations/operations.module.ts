import { OperationsModule } from '@postern/service-host';
import { RecipientRows } from './recipient-rows.js';

/** The operator's requests: projections, consumers, erasure of a recipient, diagnosis. */
export const operations = OperationsModule.forService({
  service: 'delivery-tracking',
  useFactory: () => ({ personal: new RecipientRows() }),
});
