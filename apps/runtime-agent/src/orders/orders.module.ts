import { Module } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import { RuntimesModule } from '../runtimes.module.js';
import { OrderDocuments } from './order-documents.js';
import { OrderExecution } from './order-execution.js';
import { OrderRegistry } from './order-registry.js';
import { Orders } from './orders.js';

/** Long-running work for the control plane: builds, roll-outs, stops, reconciliation, databases. */
@Module({
  imports: [RuntimesModule],
  providers: [
    Orders,
    OrderExecution,
    OrderDocuments,
    {
      provide: OrderRegistry,
      inject: [OrderExecution, ServiceLog],
      useFactory: (execution: OrderExecution, log: ServiceLog) =>
        new OrderRegistry(
          (order, signal) => execution.run(order, signal),
          (err, { kind }) => log.error({ err, kind }, 'An order failed'),
        ),
    },
  ],
  exports: [OrderRegistry],
})
export class OrdersModule {}
