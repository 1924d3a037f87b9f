import { Module } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import { RuntimesModule } from '../runtimes.module.js';
import { CarryOutOrder } from './carry-out-order.js';
import { OrderDocuments } from './order-documents.js';
import { OrderRegistry } from './order-registry.js';
import { Orders } from './orders.js';

/** Long work for the control plane: builds, roll-outs, stops, reconciliation, databases. */
@Module({
  imports: [RuntimesModule],
  providers: [
    Orders,
    CarryOutOrder,
    OrderDocuments,
    {
      provide: OrderRegistry,
      inject: [CarryOutOrder, ServiceLog],
      useFactory: (carryOut: CarryOutOrder, log: ServiceLog) =>
        new OrderRegistry(
          (order, signal) => carryOut.execute(order, signal),
          (err, { kind }) => log.error({ err, kind }, 'An order failed'),
        ),
    },
  ],
  exports: [OrderRegistry],
})
export class OrdersModule {}
