import { Database, KeyRing, OperationsModule, SEALED_ANSWERS, SealedColumns } from '@postern/service-host';
import { DeliveryErasure } from './delivery-erasure.js';

/** Webhook secrets are sealed for the id of their webhook. */
const sealedColumns = ['current', 'next'].map(column => ({
  table: 'webhook_secrets',
  id: 'webhook_id',
  column,
  rowOf: (webhookId: string) => webhookId,
}));

/** The operator's requests: projections, key rotation, erasure of a recipient, diagnosis. */
export const operations = OperationsModule.forService({
  service: 'webhook-dispatch',
  inject: [Database, KeyRing],
  useFactory: ({ pool }: Database, keys: KeyRing) => ({
    personal: new DeliveryErasure(),
    sealed: new SealedColumns(pool, keys, [...sealedColumns, SEALED_ANSWERS]),
  }),
});
